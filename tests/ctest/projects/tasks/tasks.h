// Tasks in a row; workers claim one after the other.
#pragma once

enum { TASKS = 2 };

int tasks_claim(void);
