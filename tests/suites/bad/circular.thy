action x;
let X = 1 + x X;
let Y = x Z;
let Z = 1 + W;
let W = Y*;
let A = B;
let B = x;
identity a : X + Y + A <= T;
