action u[i];
identity other : (+ j != i, k != l : u[j]) <= T;
identity itself : (+ j != j : u[j]) <= T;
identity unclosed : (+ j != i u[j]) <= T;
identity nothing : (+ : x) <= T;
