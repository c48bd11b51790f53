//! What is known of functions of the C library that the runtime does not have (`runtime/shims.rs` lists those that it
//! has).

/// Functions that keep no state that a thread could see, and wait for nothing; where they write, they write what the
/// program does not read back (output) or what is the thread's own.
const SAFE: &str = "exp10 tgamma optarg optind opterr optopt sigemptyset sigfillset sigaddset sigdelset sigismember \
    isatty pthread_mutexattr_getpshared pthread_mutexattr_getprotocol pthread_condattr_getclock \
    pthread_condattr_getpshared pthread_rwlockattr_setpshared pthread_rwlockattr_getpshared \
    pthread_barrierattr_getpshared pthread_getname_np putchar perror stdin stdout stderr abs labs llabs isdigit \
    isalpha isalnum isspace isupper islower toupper tolower __ctype_b_loc \
    __ctype_tolower_loc __ctype_toupper_loc sqrt sqrtf pow powf sin cos tan exp log log2 log10 floor ceil fabs fmod \
    round strerror __errno_location _GLOBAL_OFFSET_TABLE_ __stack_chk_fail getenv pthread_equal thrd_equal \
    pthread_mutexattr_init pthread_mutexattr_destroy pthread_mutexattr_settype pthread_mutexattr_gettype \
    pthread_mutexattr_setpshared pthread_mutexattr_setprotocol pthread_condattr_init pthread_condattr_destroy \
    pthread_condattr_setclock pthread_condattr_setpshared pthread_rwlockattr_init pthread_rwlockattr_destroy \
    pthread_barrierattr_init pthread_barrierattr_destroy pthread_barrierattr_setpshared pthread_setname_np \
    sched_get_priority_max sched_get_priority_min isprint ispunct isxdigit difftime cbrt fmin fmax hypot atan2 trunc \
    ldexp expf logf fabsf floorf ceilf sinf cosf acos acosf acosl asin asinf asinl atan atanf atanl atan2f atan2l cosl \
    sinl tanf tanl acosh acoshf acoshl asinh asinhf asinhl atanh atanhf atanhl cosh coshf coshl sinh sinhf sinhl tanh \
    tanhf tanhl expl exp2 exp2f exp2l expm1 expm1f expm1l logl log10f log10l log1p log1pf log1pl log2f log2l logb \
    logbf logbl powl sqrtl cbrtf cbrtl hypotf hypotl erf erff erfl erfc erfcf erfcl ceill floorl fmodf fmodl truncf \
     truncl roundf roundl lround lroundf lroundl llround llroundf llroundl rint rintf rintl lrint lrintf lrintl \
     llrint llrintf llrintl nearbyint nearbyintf nearbyintl remainder remainderf remainderl copysign copysignf \
     copysignl fdim fdimf fdiml fma fmaf fmal fmaxf fmaxl fminf fminl fabsl ldexpf ldexpl scalbn scalbnf scalbnl \
     scalbln scalblnf scalblnl ilogb ilogbf ilogbl nan nanf nanl nextafter nextafterf nextafterl iscntrl isgraph \
     isblank isascii imaxabs div ldiv lldiv ffs ffsl ffsll pthread_setconcurrency pthread_getconcurrency sysconf \
     get_nprocs __popcountdi2 __popcountsi2 __popcountti2 __paritysi2 __paritydi2 __parityti2 __clzsi2 __clzdi2 \
     __clzti2 \
     __ctzsi2 __ctzdi2 __ctzti2 __ffssi2 __ffsdi2 __ffsti2 __bswapsi2 __bswapdi2 __clrsbsi2 __clrsbdi2 __clrsbti2 \
     __multi3 __divti3 __modti3 __udivti3 __umodti3 __divmodti4 __udivmodti4 __ashlti3 __ashrti3 __lshrti3 __powisf2 \
     __powidf2 __powixf2";

/// Functions that would make any answer wrong.
const REFUSED: &[(&str, &str)] = &[
    (
        "fork vfork clone execl execle execlp execv execve execvp execvpe fexecve posix_spawn posix_spawnp system \
         popen",
        "processes",
    ),
    (
        "pthread_cancel pthread_testcancel pthread_setcancelstate pthread_setcanceltype",
        "cancellation of threads",
    ),
    ("_pthread_cleanup_push", "cleanup handlers"),
    (
        "pthread_kill kill raise signal sigaction sigwait alarm setitimer",
        "signals",
    ),
    ("socket socketpair connect accept", "sockets"),
    ("epoll_wait", "waiting for files"),
    ("mmap munmap", "memory that is mapped by hand"),
    ("sem_open", "named semaphores"),
    ("longjmp _longjmp siglongjmp", "long jumps"),
    ("makecontext swapcontext", "coroutines"),
];

/// Whether calls of a function make no difference to others.
pub fn is_safe(name: &str) -> bool {
    SAFE.split_whitespace().any(|known| known == name)
}

/// What it is that we can't do, of a function that is refused.
pub fn refused(name: &str) -> Option<&'static str> {
    let of = |(names, _): &&(&str, &str)| names.split_whitespace().any(|known| known == name);
    REFUSED.iter().find(of).map(|&(_, what)| what)
}

/// Whether a function that we don't know would act on threads behind our back.
pub fn synchronises(name: &str) -> bool {
    let families = [
        "pthread_", "sem_", "mtx_", "cnd_", "thrd_", "tss_", "mq_", "aio_",
    ];
    families.iter().any(|f| name.starts_with(f))
}
