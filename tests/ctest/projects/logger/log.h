// Lines are gathered, and written by a thread of the logger's own.
#pragma once

void log_open(void);
void log_line(int line);
int log_close(void);
