action x, y, z;
identity open_one : x (y z <= x y z;
identity close_one : x y) z <= x y z;
identity index : (+ i : x <= T;
identity premise [x y <= y x : x* y <= y x*;
identity square : u[i <= 1;
