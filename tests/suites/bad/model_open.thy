action x, y;
fails open : x <= y model { states 2; x = 1->2
