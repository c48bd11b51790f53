// Numbers that many read and few change.
#pragma once

void stats_add(int value);
int stats_mean(void);
