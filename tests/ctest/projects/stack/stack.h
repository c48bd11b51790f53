// A stack without locks. Nodes that are taken go to a list, and are freed when nobody is inside.
#pragma once

void stack_push(int value);
int stack_pop(void);
void stack_end(void);
