// Settings that are replaced as a whole. Readers say when they are done with the old ones.
#pragma once

struct settings {
    int width, height;
};

const struct settings *settings_enter(void);
void settings_leave(void);
void settings_replace(int width, int height);
