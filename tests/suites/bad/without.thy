action x, y, u[i];
hypothesis 12 : i != j => u[i] u[j] <= u[j] u[i];
fails without without 13 : x <= y;
fails hints without 12 : x <= y by 12;
identity weak : x <= x;
fails item without weak : x <= y;
