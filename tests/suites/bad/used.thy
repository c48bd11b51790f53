use stoler-cohen;
use "no such file.thy";
use "used.thy";
use "circle.thy";
