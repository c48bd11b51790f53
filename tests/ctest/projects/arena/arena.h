// Blocks of one size from an array, with a list of those that are free.
#pragma once

int arena_get(void);
void arena_give(int block);
