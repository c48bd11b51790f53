//! What the runtime takes from the C library of the tested program.

pub const PROT_NONE: i32 = 0;
pub const PROT_RW: i32 = 3;
pub const PROT_RWX: i32 = PROT_RW | 4;
pub const MAP_SHARED: i32 = 1;
/// Private, anonymous, not reserved, at the given address.
pub const MAP_ARENA: i32 = 0x2 | 0x20 | 0x4000 | 0x10_0000;
pub const MADV_DONTNEED: i32 = 4;
pub const SIGILL: i32 = 4;
pub const SIGBUS: i32 = 7;
pub const SIGFPE: i32 = 8;
pub const SIGSEGV: i32 = 11;
pub const SIGVTALRM: i32 = 26;
pub const ITIMER_VIRTUAL: i32 = 1;
pub const EPERM: i32 = 1;
pub const ENOENT: i32 = 2;
pub const ESRCH: i32 = 3;
pub const EBADF: i32 = 9;
pub const EAGAIN: i32 = 11;
pub const ENOMEM: i32 = 12;
pub const EBUSY: i32 = 16;
pub const EEXIST: i32 = 17;
pub const EINVAL: i32 = 22;
pub const ESPIPE: i32 = 29;
pub const EPIPE: i32 = 32;
pub const EDEADLK: i32 = 35;
pub const ETIMEDOUT: i32 = 110;

pub const F_GETFD: i32 = 1;
/// `O_NONBLOCK`.
pub const NONBLOCK: i32 = 0x800;
/// `O_DIRECTORY`.
pub const DIRECTORY: i32 = 0o200_000;

/// `struct sigaction` of glibc.
#[repr(C)]
pub struct SigAction {
    pub handler: usize,
    pub mask: [u64; 16],
    pub flags: i32,
    pub restorer: usize,
}

/// `stack_t`.
#[repr(C)]
pub struct SigStack {
    pub sp: usize,
    pub flags: i32,
    pub size: usize,
}

/// `struct itimerval`.
#[repr(C)]
pub struct Timer {
    pub interval: [i64; 2],
    pub value: [i64; 2],
}

unsafe extern "C" {
    pub fn abort() -> !;
    pub fn _exit(code: i32) -> !;
    pub fn exit(code: i32) -> !;
    pub fn fork() -> i32;
    pub fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    pub fn read(fd: i32, buffer: *mut u8, size: usize) -> isize;
    pub fn write(fd: i32, buffer: *const u8, size: usize) -> isize;
    pub fn open(path: *const u8, flags: i32, ...) -> i32;
    pub fn close(fd: i32) -> i32;
    pub fn fcntl(fd: i32, command: i32, ...) -> i32;
    pub fn pread(fd: i32, buffer: *mut u8, size: usize, at: i64) -> isize;
    pub fn lseek(fd: i32, by: i64, from: i32) -> i64;
    pub fn mmap(a: *mut u8, n: usize, prot: i32, flags: i32, fd: i32, off: i64) -> *mut u8;
    pub fn mprotect(a: *mut u8, n: usize, prot: i32) -> i32;
    pub fn madvise(a: *mut u8, n: usize, advice: i32) -> i32;
    pub fn sbrk(by: isize) -> *mut u8;
    pub fn brk(to: *mut u8) -> i32;
    pub fn sigaction(signal: i32, new: *const SigAction, old: *mut SigAction) -> i32;
    pub fn sigaltstack(new: *const SigStack, old: *mut SigStack) -> i32;
    pub fn setitimer(which: i32, new: *const Timer, old: *mut Timer) -> i32;
    pub fn getenv(name: *const u8) -> *const u8;
    pub fn __errno_location() -> *mut i32;
    pub fn memcpy(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
    pub fn memmove(to: *mut u8, from: *const u8, n: usize) -> *mut u8;
    pub fn memset(to: *mut u8, byte: i32, n: usize) -> *mut u8;
    pub fn memcmp(a: *const u8, b: *const u8, n: usize) -> i32;
    pub fn strlen(s: *const u8) -> usize;
    pub fn vprintf(format: *const u8, args: usize) -> i32;
    pub fn vfprintf(file: usize, format: *const u8, args: usize) -> i32;
    pub fn puts(s: *const u8) -> i32;
    pub fn fputc(c: i32, file: usize) -> i32;
    pub fn fflush(file: usize) -> i32;
    pub fn fileno(file: usize) -> i32;
    pub fn fputs(s: *const u8, file: usize) -> i32;
    pub fn fwrite(from: *const u8, size: u64, n: u64, file: usize) -> u64;
    pub fn vsnprintf(to: *mut u8, n: usize, format: *const u8, args: usize) -> i32;
    pub fn strchr(s: *const u8, c: i32) -> *const u8;
    pub fn strrchr(s: *const u8, c: i32) -> *const u8;
    pub fn strstr(s: *const u8, t: *const u8) -> *const u8;
    pub fn memchr(s: *const u8, c: i32, n: usize) -> *const u8;
    pub fn getauxval(kind: usize) -> usize;
    pub fn free(block: *mut u8);
    pub fn realloc(block: *mut u8, size: usize) -> *mut u8;
    pub fn atol(s: *const u8) -> i64;
    pub fn strtol(s: *const u8, end: *mut u64, base: i32) -> i64;
    pub fn strtoul(s: *const u8, end: *mut u64, base: i32) -> u64;
    pub fn strtod(s: *const u8, end: *mut u64) -> f64;
    pub fn localtime_r(time: *const i64, to: *mut u8) -> *mut u8;
    pub fn gmtime_r(time: *const i64, to: *mut u8) -> *mut u8;
    pub fn mktime(parts: *mut u8) -> i64;
    pub fn asctime_r(parts: *const u8, to: *mut u8) -> *mut u8;
    pub fn strftime(to: *mut u8, n: usize, format: *const u8, parts: *const u8) -> usize;
    pub fn getopt(argc: i32, argv: *const *mut u8, short: *const u8) -> i32;
    pub fn getopt_long(
        argc: i32,
        argv: *const *mut u8,
        short: *const u8,
        long: *const u8,
        index: *mut i32,
    ) -> i32;
    pub fn vsscanf(s: *const u8, format: *const u8, args: *mut u8) -> i32;
    pub fn vfscanf(file: usize, format: *const u8, args: *mut u8) -> i32;
    pub fn fmemopen(bytes: *mut u8, n: usize, mode: *const u8) -> usize;
    pub fn ftell(file: usize) -> i64;
    pub fn feof(file: usize) -> i32;
    pub fn fclose(file: usize) -> i32;
    pub static mut optarg: *mut u8;
    pub static mut optind: i32;
    pub static mut optopt: i32;
    pub fn prctl(option: i32, ...) -> i32;
}
