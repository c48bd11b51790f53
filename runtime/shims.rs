//! The names under which the program calls us, and the switch between stacks. x86-64 only.
//!
//! Each shim notes where it was called from and the registers that a function must preserve (the rest of a thread's
//! local state is on its stack), and goes on to the function itself. `coarsen_c_NAME` stands for the program's `NAME`:
//! coarsen reads the list from this library's symbols, and renames.

use crate::atomics::{self, atomic, plain, read};
use crate::shared::*;
use crate::{
    ahead, arena, c11, calendar, check, descriptors, files, invariants, marks, poll, printing, pthread, scanning,
    semaphores, sorting, startup, streams, strings, svcomp, time, variadic,
};
use core::arch::global_asm;
use core::cell::UnsafeCell;

/// What a shim notes.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Registers {
    pub pc: u64,
    pub sp: usize,
    pub saved: [u64; 6],
    /// Whether the call has made no step yet.
    pub fresh: u64,
}

pub struct Place(UnsafeCell<Registers>);
// One operating system thread only.
unsafe impl Sync for Place {}

pub static REGISTERS: Place = Place(UnsafeCell::new(Registers {
    pc: 0,
    sp: 0,
    saved: [0; 6],
    fresh: 0,
}));

/// Of the last call from the program.
pub fn registers() -> Registers {
    unsafe { *REGISTERS.0.get() }
}

/// Another thread has called since; this one's call has made a step.
pub fn set_registers(registers: Registers) {
    unsafe {
        *REGISTERS.0.get() = Registers {
            fresh: 0,
            ..registers
        }
    }
}

/// Notes in `{r}` where the caller is, and what its registers hold that a call keeps.
macro_rules! note_registers {
    () => {
        "mov r11, [rsp]
        mov [rip + {r}], r11
        mov [rip + {r} + 8], rsp
        mov [rip + {r} + 16], rbx
        mov [rip + {r} + 24], rbp
        mov [rip + {r} + 32], r12
        mov [rip + {r} + 40], r13
        mov [rip + {r} + 48], r14
        mov [rip + {r} + 56], r15
        mov qword ptr [rip + {r} + 64], 1"
    };
}
pub(crate) use note_registers;

/// While a thread looks ahead (`ahead.rs`), only accesses and what passes time go to their functions.
macro_rules! shims {
    ($($name:literal => $to:expr),* $(,)?) => { shims! { @ahead::fail; $($name => $to),* } };
    (@$else:expr; $($name:literal => $to:expr),* $(,)?) => { $(
        shims! { $name => $to, $else }
    )* };
    (@same $($name:literal => $to:expr),* $(,)?) => { $(
        shims! { $name => $to, $to }
    )* };
    ($name:literal => $to:expr, $else:expr) => {
        global_asm!(
            concat!(".globl ", $name),
            concat!(".type ", $name, ", @function"),
            concat!($name, ":"),
            note_registers!(),
            "cmp byte ptr [rip + {a}], 0",
            "jne {e}",
            "jmp {f}",
            r = sym REGISTERS,
            a = sym ahead::ON,
            e = sym $else,
            f = sym $to,
        );
    };
}

macro_rules! accesses {
    ($($read:ident $write:ident $size:literal),*) => { $(
        extern "C" fn $read(addr: u64) { read(addr, $size) }
        extern "C" fn $write(addr: u64) { plain(Kind::Write, addr, $size) }
    )* };
}
accesses! { read1 write1 1, read2 write2 2, read4 write4 4, read8 write8 8, read16 write16 16 }

extern "C" fn read_range(addr: u64, size: u64) {
    plain(Kind::Read, addr, size.min(u32::MAX.into()) as u32)
}

extern "C" fn write_range(addr: u64, size: u64) {
    plain(Kind::Write, addr, size.min(u32::MAX.into()) as u32)
}

/// A constructor or destructor says what class its object is of. Said again, it is nothing that another could see.
extern "C" fn vptr_update(addr: u64, class: u64) {
    if unsafe { (addr as *const u64).read_unaligned() } != class {
        plain(Kind::Write, addr, 8)
    }
}

extern "C" fn nothing() {}

shims! { @same
    "__tsan_read1" => read1, "__tsan_read2" => read2, "__tsan_read4" => read4,
    "__tsan_read8" => read8, "__tsan_read16" => read16,
    "__tsan_write1" => write1, "__tsan_write2" => write2, "__tsan_write4" => write4,
    "__tsan_write8" => write8, "__tsan_write16" => write16,
    "__tsan_unaligned_read2" => read2, "__tsan_unaligned_read4" => read4,
    "__tsan_unaligned_read8" => read8, "__tsan_unaligned_read16" => read16,
    "__tsan_unaligned_write2" => write2, "__tsan_unaligned_write4" => write4,
    "__tsan_unaligned_write8" => write8, "__tsan_unaligned_write16" => write16,
    "__tsan_volatile_read1" => read1, "__tsan_volatile_read2" => read2,
    "__tsan_volatile_read4" => read4, "__tsan_volatile_read8" => read8,
    "__tsan_volatile_write1" => write1, "__tsan_volatile_write2" => write2,
    "__tsan_volatile_write4" => write4, "__tsan_volatile_write8" => write8,
    "__tsan_vptr_read" => read8, "__tsan_vptr_update" => vptr_update,
    "__tsan_read_range" => read_range, "__tsan_write_range" => write_range,
    "__tsan_init" => nothing, "__tsan_func_entry" => marks::enter, "__tsan_func_exit" => marks::leave,
    "coarsen_c___VERIFIER_atomic_begin" => svcomp::atomic_begin,
    "coarsen_c___VERIFIER_atomic_end" => svcomp::atomic_end,
    "coarsen_cxx_terminated" => check::terminated,
    "coarsen_c_coarsen_atomic_begin" => svcomp::atomic_begin,
    "coarsen_c_coarsen_atomic_end" => svcomp::atomic_end,
    "coarsen_c___VERIFIER_spin_start" => svcomp::nothing,
    "coarsen_c___VERIFIER_spin_end" => svcomp::nothing,
    "coarsen_c___VERIFIER_potential_spin_end" => svcomp::nothing,
    "coarsen_c___VERIFIER_loop_begin" => svcomp::nothing,
    "coarsen_c___VERIFIER_loop_bound" => svcomp::nothing,
    "coarsen_c_pthread_yield" => time::yields,
    "coarsen_c_sched_yield" => time::yields,
    "coarsen_c_thrd_sleep" => c11::sleep,
    "coarsen_c_thrd_yield" => time::yields,
    "coarsen_c_sleep" => time::sleep,
    "coarsen_c_usleep" => time::usleep,
    "coarsen_c_nanosleep" => time::nanosleep,
    "coarsen_c_clock_nanosleep" => time::clock_nanosleep,
    "coarsen_c_select" => poll::select,
    "coarsen_c_poll" => poll::poll,
    "coarsen_c_vprintf" => printing::vprintf,
    "coarsen_c_puts" => printing::puts,
    "coarsen_c_write" => descriptors::write,
    "coarsen_c_vfprintf" => streams::vfprintf,
    "coarsen_c_fputs" => streams::fputs,
    "coarsen_c_fwrite" => streams::fwrite,
    "coarsen_c_fputc" => streams::fputc,
    "coarsen_c_putc" => streams::fputc,
    "coarsen_c_fflush" => streams::fflush,
    "coarsen_c_fputc_unlocked" => streams::fputc,
    "coarsen_c_putc_unlocked" => streams::fputc,
    "coarsen_c_fputs_unlocked" => streams::fputs,
    "coarsen_c_fwrite_unlocked" => streams::fwrite,
    "coarsen_c_fflush_unlocked" => streams::fflush,
    "__tsan_atomic_thread_fence" => atomics::fence, "__tsan_atomic_signal_fence" => nothing,
}

macro_rules! atomics {
    ($($t:ty, $size:literal: $load:ident $load_name:literal, $store:ident $store_name:literal,
       $strong:ident $strong_name:literal $weak_name:literal, $value:ident $value_name:literal;
       $($update:ident $update_name:literal $sub:ident),*;)*) => { $(
        extern "C" fn $load(addr: u64, order: i32) -> $t {
            atomic(atomics::LOAD, $size, addr, [0; 2], [order; 2]) as $t
        }
        extern "C" fn $store(addr: u64, value: $t, order: i32) {
            atomic(atomics::STORE, $size, addr, [value as u64, 0], [order; 2]);
        }
        extern "C" fn $strong(
            addr: u64, expected: *mut $t, new: $t, order: i32, failed: i32,
        ) -> i32 {
            let wanted = atomics::fetch(expected);
            let values = [wanted as u64, new as u64];
            let old = atomic(atomics::CAS, $size, addr, values, [order, failed]) as $t;
            if old != wanted {
                atomics::deliver(expected, old);
            }
            (old == wanted).into()
        }
        extern "C" fn $value(addr: u64, wanted: $t, new: $t, order: i32, failed: i32) -> $t {
            atomic(atomics::CAS, $size, addr, [wanted as u64, new as u64], [order, failed]) as $t
        }
        $( extern "C" fn $update(addr: u64, value: $t, order: i32) -> $t {
            atomic(atomics::$sub, $size, addr, [value as u64, 0], [order; 2]) as $t
        } )*
        shims! { @same $load_name => $load, $store_name => $store, $strong_name => $strong,
            $weak_name => $strong, $value_name => $value, $($update_name => $update),* }
    )* };
}

atomics! {
    u8, 1: load8 "__tsan_atomic8_load", store8 "__tsan_atomic8_store",
      cas8 "__tsan_atomic8_compare_exchange_strong" "__tsan_atomic8_compare_exchange_weak",
      val8 "__tsan_atomic8_compare_exchange_val";
      exchange8 "__tsan_atomic8_exchange" EXCHANGE, add8 "__tsan_atomic8_fetch_add" ADD,
      sub8 "__tsan_atomic8_fetch_sub" SUB,
      and8 "__tsan_atomic8_fetch_and" AND, or8 "__tsan_atomic8_fetch_or" OR, xor8 "__tsan_atomic8_fetch_xor" XOR,
      nand8 "__tsan_atomic8_fetch_nand" NAND;
    u16, 2: load16 "__tsan_atomic16_load", store16 "__tsan_atomic16_store",
      cas16 "__tsan_atomic16_compare_exchange_strong" "__tsan_atomic16_compare_exchange_weak",
      val16 "__tsan_atomic16_compare_exchange_val";
      exchange16 "__tsan_atomic16_exchange" EXCHANGE, add16 "__tsan_atomic16_fetch_add" ADD,
      sub16 "__tsan_atomic16_fetch_sub" SUB,
      and16 "__tsan_atomic16_fetch_and" AND, or16 "__tsan_atomic16_fetch_or" OR, xor16 "__tsan_atomic16_fetch_xor" XOR,
      nand16 "__tsan_atomic16_fetch_nand" NAND;
    u32, 4: load32 "__tsan_atomic32_load", store32 "__tsan_atomic32_store",
      cas32 "__tsan_atomic32_compare_exchange_strong" "__tsan_atomic32_compare_exchange_weak",
      val32 "__tsan_atomic32_compare_exchange_val";
      exchange32 "__tsan_atomic32_exchange" EXCHANGE, add32 "__tsan_atomic32_fetch_add" ADD,
      sub32 "__tsan_atomic32_fetch_sub" SUB,
      and32 "__tsan_atomic32_fetch_and" AND, or32 "__tsan_atomic32_fetch_or" OR, xor32 "__tsan_atomic32_fetch_xor" XOR,
      nand32 "__tsan_atomic32_fetch_nand" NAND;
    u64, 8: load64 "__tsan_atomic64_load", store64 "__tsan_atomic64_store",
      cas64 "__tsan_atomic64_compare_exchange_strong" "__tsan_atomic64_compare_exchange_weak",
      val64 "__tsan_atomic64_compare_exchange_val";
      exchange64 "__tsan_atomic64_exchange" EXCHANGE, add64 "__tsan_atomic64_fetch_add" ADD,
      sub64 "__tsan_atomic64_fetch_sub" SUB,
      and64 "__tsan_atomic64_fetch_and" AND, or64 "__tsan_atomic64_fetch_or" OR, xor64 "__tsan_atomic64_fetch_xor" XOR,
      nand64 "__tsan_atomic64_fetch_nand" NAND;
}

shims! {
    "coarsen_c_pthread_create" => pthread::create,
    "coarsen_c_pthread_join" => pthread::join,
    "coarsen_c_pthread_detach" => pthread::detach,
    "coarsen_c_pthread_exit" => pthread::exit,
    "coarsen_c_pthread_self" => pthread::itself,
    "coarsen_c___pthread_register_cancel" => pthread::cleanup_push,
    "coarsen_c___pthread_unregister_cancel" => pthread::cleanup_pop,
    "coarsen_c___pthread_unwind_next" => pthread::unwind_next,
    "coarsen_c_setjmp" => pthread::setjmp,
    "coarsen_c__setjmp" => pthread::setjmp,
    "coarsen_c___sigsetjmp" => pthread::setjmp,
    "coarsen_c_pthread_mutex_init" => pthread::mutex_init,
    "coarsen_c_pthread_mutex_destroy" => semaphores::destroy,
    "coarsen_c_pthread_mutex_lock" => pthread::mutex_lock,
    "coarsen_c_pthread_mutex_trylock" => pthread::mutex_trylock,
    "coarsen_c_pthread_mutex_timedlock" => pthread::mutex_timedlock,
    "coarsen_c_pthread_mutex_clocklock" => pthread::mutex_clocklock,
    "coarsen_c_pthread_mutex_unlock" => pthread::mutex_unlock,
    "coarsen_c_pthread_spin_init" => pthread::spin_init,
    "coarsen_c_pthread_spin_destroy" => semaphores::destroy,
    "coarsen_c_pthread_spin_lock" => pthread::spin_lock,
    "coarsen_c_pthread_spin_trylock" => pthread::spin_trylock,
    "coarsen_c_pthread_spin_unlock" => pthread::spin_unlock,
    "coarsen_c_pthread_cond_init" => pthread::cond_init,
    "coarsen_c_pthread_cond_destroy" => semaphores::destroy,
    "coarsen_c_pthread_cond_wait" => pthread::cond_wait,
    "coarsen_c_pthread_cond_timedwait" => pthread::cond_timedwait,
    "coarsen_c_pthread_cond_clockwait" => pthread::cond_clockwait,
    "coarsen_c_pthread_cond_signal" => pthread::cond_signal,
    "coarsen_c_pthread_cond_broadcast" => pthread::cond_broadcast,
    "coarsen_c_pthread_rwlock_init" => semaphores::rwlock_init,
    "coarsen_c_pthread_rwlock_destroy" => semaphores::destroy,
    "coarsen_c_pthread_rwlock_rdlock" => semaphores::rdlock,
    "coarsen_c_pthread_rwlock_wrlock" => semaphores::wrlock,
    "coarsen_c_pthread_rwlock_tryrdlock" => semaphores::tryrdlock,
    "coarsen_c_pthread_rwlock_trywrlock" => semaphores::trywrlock,
    "coarsen_c_pthread_rwlock_timedrdlock" => semaphores::timedrdlock,
    "coarsen_c_pthread_rwlock_timedwrlock" => semaphores::timedwrlock,
    "coarsen_c_pthread_rwlock_clockrdlock" => semaphores::clockrdlock,
    "coarsen_c_pthread_rwlock_clockwrlock" => semaphores::clockwrlock,
    "coarsen_c_pthread_rwlock_unlock" => semaphores::rwunlock,
    "coarsen_c_pthread_barrier_init" => semaphores::barrier_init,
    "coarsen_c_pthread_barrier_destroy" => semaphores::destroy,
    "coarsen_c_pthread_barrier_wait" => semaphores::barrier_wait,
    "coarsen_c_barrier_unasked" => semaphores::barrier_unasked,
    "coarsen_c_pthread_once" => semaphores::once,
    "coarsen_c_pthread_key_create" => pthread::key_create,
    "coarsen_c_pthread_key_delete" => pthread::key_delete,
    "coarsen_c_pthread_getspecific" => pthread::getspecific,
    "coarsen_c_pthread_setspecific" => pthread::setspecific,
    "coarsen_c_pthread_attr_init" => pthread::attr_init,
    "coarsen_c_pthread_attr_destroy" => pthread::attr_ignored,
    "coarsen_c_pthread_attr_setdetachstate" => pthread::attr_set_detached,
    "coarsen_c_pthread_attr_getdetachstate" => pthread::attr_get_detached,
    "coarsen_c_pthread_attr_setstacksize" => pthread::attr_ignored,
    "coarsen_c_pthread_attr_getstacksize" => pthread::attr_get_stack,
    "coarsen_c_pthread_attr_setguardsize" => pthread::attr_ignored,
    "coarsen_c_pthread_attr_setscope" => pthread::attr_ignored,
    "coarsen_c_pthread_attr_setschedpolicy" => pthread::attr_ignored,
    "coarsen_c_pthread_attr_setinheritsched" => pthread::attr_ignored,
    "coarsen_c_pthread_attr_setschedparam" => pthread::attr_ignored,
    "coarsen_c_pthread_setaffinity_np" => pthread::attr_ignored,
    "coarsen_c_pthread_setschedprio" => pthread::attr_ignored,
    "coarsen_c_pthread_getschedparam" => pthread::get_policy,
    "coarsen_c_sched_getcpu" => pthread::attr_ignored,
    "coarsen_c_pthread_sigmask" => pthread::mask,
    "coarsen_c_sigprocmask" => pthread::mask,
    "coarsen_c_pthread_mutexattr_setrobust" => pthread::set_robust,
    "coarsen_c_pthread_mutexattr_getrobust" => pthread::get_robust,
    "coarsen_c_pthread_setschedparam" => pthread::attr_ignored,
    "coarsen_c_pipe" => descriptors::pipe,
    "coarsen_c_pipe2" => descriptors::pipe2,
    "coarsen_c_open" => descriptors::open,
    "coarsen_c_open64" => descriptors::open,
    "coarsen_c_creat" => descriptors::creat,
    "coarsen_c_read" => descriptors::read,
    "coarsen_c_pread" => descriptors::pread,
    "coarsen_c_pread64" => descriptors::pread,
    "coarsen_c_pwrite" => descriptors::pwrite,
    "coarsen_c_pwrite64" => descriptors::pwrite,
    "coarsen_c_lseek" => descriptors::lseek,
    "coarsen_c_lseek64" => descriptors::lseek,
    "coarsen_c_ftruncate" => descriptors::ftruncate,
    "coarsen_c_ftruncate64" => descriptors::ftruncate,
    "coarsen_c_creat64" => descriptors::creat,
    "coarsen_c_fsync" => descriptors::sync,
    "coarsen_c_fdatasync" => descriptors::sync,
    "coarsen_c_close" => descriptors::close,
    "coarsen_c_fstat" => descriptors::not_followed,
    "coarsen_c_fstat64" => descriptors::not_followed,
    "coarsen_c___fxstat" => descriptors::not_followed,
    "coarsen_c___fxstat64" => descriptors::not_followed,
    "coarsen_c_dup" => descriptors::not_followed,
    "coarsen_c_dup2" => descriptors::not_followed,
    "coarsen_c_dup3" => descriptors::not_followed,
    "coarsen_c_fcntl" => descriptors::not_followed,
    "coarsen_c_fcntl64" => descriptors::not_followed,
    "coarsen_c_fdopen" => descriptors::not_followed,
    "coarsen_c_fdopendir" => descriptors::not_followed,
    "coarsen_c_flock" => descriptors::not_followed,
    "coarsen_c_lockf" => descriptors::not_followed,
    "coarsen_c_lockf64" => descriptors::not_followed,
    "coarsen_c_fchmod" => descriptors::not_followed,
    "coarsen_c_fchown" => descriptors::not_followed,
    "coarsen_c_readv" => descriptors::not_followed,
    "coarsen_c_writev" => descriptors::not_followed,
    "coarsen_c_preadv" => descriptors::not_followed,
    "coarsen_c_pwritev" => descriptors::not_followed,
    "coarsen_c_ioctl" => descriptors::not_followed,
    "coarsen_c_posix_fallocate" => descriptors::not_followed,
    "coarsen_c_posix_fallocate64" => descriptors::not_followed,
    "coarsen_c_fallocate" => descriptors::not_followed,
    "coarsen_c_posix_fadvise" => descriptors::not_followed,
    "coarsen_c_posix_fadvise64" => descriptors::not_followed,
    "coarsen_c_readahead" => descriptors::not_followed,
    "coarsen_c_sendfile" => descriptors::not_followed,
    "coarsen_c_sendfile64" => descriptors::not_followed,
    "coarsen_c_splice" => descriptors::not_followed,
    "coarsen_c_tee" => descriptors::not_followed,
    "coarsen_c_copy_file_range" => descriptors::not_followed,
    "coarsen_c_sync_file_range" => descriptors::not_followed,
    "coarsen_c_futimens" => descriptors::not_followed,
    "coarsen_c_futimes" => descriptors::not_followed,
    "coarsen_c_fstatfs" => descriptors::not_followed,
    "coarsen_c_fstatvfs" => descriptors::not_followed,
    "coarsen_c_ppoll" => descriptors::not_followed,
    "coarsen_c_pselect" => descriptors::not_followed,
    "coarsen_c_epoll_ctl" => descriptors::not_followed,
    "coarsen_c_stat" => descriptors::not_followed,
    "coarsen_c_stat64" => descriptors::not_followed,
    "coarsen_c___xstat" => descriptors::not_followed,
    "coarsen_c___xstat64" => descriptors::not_followed,
    "coarsen_c_lstat" => descriptors::not_followed,
    "coarsen_c_lstat64" => descriptors::not_followed,
    "coarsen_c___lxstat" => descriptors::not_followed,
    "coarsen_c___lxstat64" => descriptors::not_followed,
    "coarsen_c_fstatat" => descriptors::not_followed,
    "coarsen_c_statx" => descriptors::not_followed,
    "coarsen_c_access" => descriptors::not_followed,
    "coarsen_c_faccessat" => descriptors::not_followed,
    "coarsen_c_truncate" => descriptors::not_followed,
    "coarsen_c_truncate64" => descriptors::not_followed,
    "coarsen_c_chmod" => descriptors::not_followed,
    "coarsen_c_link" => descriptors::not_followed,
    "coarsen_c_linkat" => descriptors::not_followed,
    "coarsen_c_symlink" => descriptors::not_followed,
    "coarsen_c_renameat" => descriptors::not_followed,
    "coarsen_c_renameat2" => descriptors::not_followed,
    "coarsen_c_unlinkat" => descriptors::not_followed,
    "coarsen_c_openat" => descriptors::not_followed,
    "coarsen_c_openat64" => descriptors::not_followed,
    "coarsen_c_utime" => descriptors::not_followed,
    "coarsen_c_utimes" => descriptors::not_followed,
    "coarsen_c_utimensat" => descriptors::not_followed,
    "coarsen_c_thrd_create" => c11::create,
    "coarsen_c_thrd_join" => c11::join,
    "coarsen_c_thrd_detach" => c11::detach,
    "coarsen_c_thrd_exit" => c11::exit,
    "coarsen_c_mtx_init" => c11::mtx_init,
    "coarsen_c_mtx_lock" => c11::mtx_lock,
    "coarsen_c_mtx_trylock" => c11::mtx_trylock,
    "coarsen_c_mtx_timedlock" => c11::mtx_timedlock,
    "coarsen_c_mtx_unlock" => c11::mtx_unlock,
    "coarsen_c_mtx_destroy" => c11::destroy,
    "coarsen_c_cnd_init" => c11::cnd_init,
    "coarsen_c_cnd_destroy" => c11::destroy,
    "coarsen_c_cnd_wait" => c11::cnd_wait,
    "coarsen_c_cnd_timedwait" => c11::cnd_timedwait,
    "coarsen_c_cnd_signal" => c11::cnd_signal,
    "coarsen_c_cnd_broadcast" => c11::cnd_broadcast,
    "coarsen_c_call_once" => c11::call_once,
    "coarsen_c_tss_create" => c11::tss_create,
    "coarsen_c_tss_delete" => c11::tss_delete,
    "coarsen_c_tss_set" => c11::tss_set,
    "coarsen_c_tss_get" => pthread::getspecific,
    "coarsen_c_thrd_current" => pthread::itself,
    "coarsen_c_sem_init" => semaphores::sem_init,
    "coarsen_c_sem_destroy" => semaphores::destroy,
    "coarsen_c_sem_wait" => semaphores::sem_wait,
    "coarsen_c_sem_trywait" => semaphores::sem_trywait,
    "coarsen_c_sem_timedwait" => semaphores::sem_timedwait,
    "coarsen_c_sem_clockwait" => semaphores::sem_clockwait,
    "coarsen_c_sem_post" => semaphores::sem_post,
    "coarsen_c_sem_getvalue" => semaphores::sem_getvalue,
    "coarsen_c_clock_getres" => time::clock_getres,
    "coarsen_c_timespec_get" => time::timespec_get,
    "coarsen_c_time" => time::time,
    "coarsen_c_clock" => time::clock,
    "coarsen_c_clock_gettime" => time::clock_gettime,
    "coarsen_c_gettimeofday" => time::gettimeofday,
    "coarsen_c_malloc" => arena::malloc,
    "coarsen_c_calloc" => arena::calloc,
    "coarsen_c_realloc" => arena::realloc,
    "coarsen_c_free" => arena::free,
    "coarsen_c_aligned_alloc" => arena::aligned_alloc,
    "coarsen_c_memalign" => arena::aligned_alloc,
    "coarsen_c_posix_memalign" => arena::posix_memalign,
    "coarsen_c_strdup" => strings::strdup,
    "coarsen_c_strndup" => strings::strndup,
    "coarsen_c_memcpy" => strings::memcpy,
    "coarsen_c_memmove" => strings::memcpy,
    "coarsen_c_memset" => strings::memset,
    "coarsen_c_memcmp" => strings::memcmp,
    "coarsen_c_strlen" => strings::strlen,
    "coarsen_c_strcpy" => strings::strcpy,
    "coarsen_c_strncpy" => strings::strncpy,
    "coarsen_c_strcat" => strings::strcat,
    "coarsen_c_strcmp" => strings::strcmp,
    "coarsen_c_strncmp" => strings::strncmp,
    "coarsen_c_atoi" => strings::atoi,
    "coarsen_c_atol" => strings::atol,
    "coarsen_c_atoll" => strings::atol,
    "coarsen_c_strtol" => strings::strtol,
    "coarsen_c_strtoll" => strings::strtol,
    "coarsen_c_strtoul" => strings::strtoul,
    "coarsen_c_strtoull" => strings::strtoul,
    "coarsen_c___isoc23_strtol" => strings::strtol,
    "coarsen_c___isoc23_strtoll" => strings::strtol,
    "coarsen_c___isoc23_strtoul" => strings::strtoul,
    "coarsen_c___isoc23_strtoull" => strings::strtoul,
    "coarsen_c_strtod" => strings::strtod,
    "coarsen_c_atof" => strings::atof,
    "coarsen_c_strcasecmp" => strings::strcasecmp,
    "coarsen_c_strncasecmp" => strings::strncasecmp,
    "coarsen_c_strspn" => strings::strspn,
    "coarsen_c_strcspn" => strings::strcspn,
    "coarsen_c_strpbrk" => strings::strpbrk,
    "coarsen_c_strtok" => strings::strtok,
    "coarsen_c_strtok_r" => strings::strtok_r,
    "coarsen_c___strtok_r" => strings::strtok_r,
    "coarsen_c_stpcpy" => strings::stpcpy,
    "coarsen_c_mempcpy" => strings::mempcpy,
    "coarsen_c_strnlen" => strings::strnlen,
    "coarsen_c_strncat" => strings::strncat,
    "coarsen_c_strchr" => strings::strchr,
    "coarsen_c_strrchr" => strings::strrchr,
    "coarsen_c_strstr" => strings::strstr,
    "coarsen_c_memchr" => strings::memchr,
    "coarsen_c_bzero" => strings::bzero,
    "coarsen_c_vsnprintf" => variadic::vsnprintf,
    "coarsen_c_vasprintf" => variadic::vasprintf,
    "coarsen_c_vdprintf" => variadic::vdprintf,
    "coarsen_c_vwarn" => variadic::vwarnx,
    "coarsen_c_vwarnx" => variadic::vwarnx,
    "coarsen_c_verrx" => variadic::verrx,
    "coarsen_c_verr" => variadic::verrx,
    "coarsen_c_vsscanf" => scanning::vsscanf,
    "coarsen_c_setbuf" => streams::set_buffer,
    "coarsen_c_setvbuf" => streams::set_buffer,
    "coarsen_c_setlinebuf" => streams::set_buffer,
    "coarsen_c_fileno" => streams::fileno,
    "coarsen_c_fopen" => streams::fopen,
    "coarsen_c_fopen64" => streams::fopen,
    "coarsen_c_fseeko64" => streams::fseek,
    "coarsen_c_ftello64" => streams::ftell,
    "coarsen_c___fprintf_chk" => streams::not_followed,
    "coarsen_c___vfprintf_chk" => streams::not_followed,
    "coarsen_c___fgets_chk" => streams::not_followed,
    "coarsen_c___fread_chk" => streams::not_followed,
    "coarsen_c_fclose" => streams::fclose,
    "coarsen_c_fread" => streams::fread,
    "coarsen_c_fgetc" => streams::fgetc,
    "coarsen_c_getc" => streams::fgetc,
    "coarsen_c_ungetc" => streams::ungetc,
    "coarsen_c_fgets" => streams::fgets,
    "coarsen_c_getline" => streams::getline,
    "coarsen_c_fseek" => streams::fseek,
    "coarsen_c_fseeko" => streams::fseek,
    "coarsen_c_rewind" => streams::rewind,
    "coarsen_c_ftell" => streams::ftell,
    "coarsen_c_ftello" => streams::ftell,
    "coarsen_c_feof" => streams::feof,
    "coarsen_c_ferror" => streams::ferror,
    "coarsen_c_clearerr" => streams::clearerr,
    "coarsen_c_remove" => files::remove,
    "coarsen_c_getchar" => streams::getchar,
    "coarsen_c_getchar_unlocked" => streams::getchar,
    "coarsen_c_getc_unlocked" => streams::fgetc,
    "coarsen_c_fgetc_unlocked" => streams::fgetc,
    "coarsen_c_fgets_unlocked" => streams::fgets,
    "coarsen_c_fread_unlocked" => streams::fread,
    "coarsen_c_feof_unlocked" => streams::feof,
    "coarsen_c_ferror_unlocked" => streams::ferror,
    "coarsen_c_clearerr_unlocked" => streams::clearerr,
    "coarsen_c_setbuffer" => streams::set_buffer,
    "coarsen_c_fileno_unlocked" => streams::fileno,
    "coarsen_c_vscanf" => scanning::vscanf,
    "coarsen_c_vfscanf" => scanning::vfscanf,
    "coarsen_c_freopen" => streams::not_followed,
    "coarsen_c_getdelim" => streams::getdelim,
    "coarsen_c_fgetpos" => streams::fgetpos,
    "coarsen_c_fsetpos" => streams::fsetpos,
    "coarsen_c_flockfile" => streams::not_followed,
    "coarsen_c_funlockfile" => streams::not_followed,
    "coarsen_c_ftrylockfile" => streams::not_followed,
    "coarsen_c_fputws" => streams::not_followed,
    "coarsen_c_fputwc" => streams::not_followed,
    "coarsen_c_putwc" => streams::not_followed,
    "coarsen_c_fgetws" => streams::not_followed,
    "coarsen_c_fgetwc" => streams::not_followed,
    "coarsen_c_getwc" => streams::not_followed,
    "coarsen_c_ungetwc" => streams::not_followed,
    "coarsen_c_fwprintf" => streams::not_followed,
    "coarsen_c_vfwprintf" => streams::not_followed,
    "coarsen_c_fwide" => streams::not_followed,
    "coarsen_c_fwscanf" => streams::not_followed,
    "coarsen_c_putw" => streams::not_followed,
    "coarsen_c_getw" => streams::not_followed,
    "coarsen_c___fpurge" => streams::not_followed,
    "coarsen_c___freading" => streams::not_followed,
    "coarsen_c___fwriting" => streams::not_followed,
    "coarsen_c_unlink" => files::remove,
    "coarsen_c_rename" => files::rename,
    "coarsen_c_localtime" => calendar::localtime,
    "coarsen_c_gmtime" => calendar::gmtime,
    "coarsen_c_localtime_r" => calendar::localtime_r,
    "coarsen_c_gmtime_r" => calendar::gmtime_r,
    "coarsen_c_mktime" => calendar::mktime,
    "coarsen_c_asctime" => calendar::asctime,
    "coarsen_c_asctime_r" => calendar::asctime_r,
    "coarsen_c_ctime" => calendar::ctime,
    "coarsen_c_ctime_r" => calendar::ctime_r,
    "coarsen_c_strftime" => calendar::strftime,
    "coarsen_c_getopt" => calendar::getopt,
    "coarsen_c_getopt_long" => calendar::getopt_long,
    "coarsen_c_reallocarray" => arena::reallocarray,
    "coarsen_c_vsprintf" => variadic::vsprintf,
    "coarsen_c_qsort" => sorting::qsort,
    "coarsen_c_bsearch" => sorting::bsearch,
    "coarsen_c_rand" => svcomp::rand,
    "coarsen_c_random" => svcomp::rand,
    "coarsen_c_lrand48" => svcomp::long_rand,
    "coarsen_c_drand48" => svcomp::real_rand,
    "coarsen_c_srand48" => svcomp::srand,
    "coarsen_c_sched_setaffinity" => pthread::attr_ignored,
    "coarsen_c_rand_r" => svcomp::rand_r,
    "coarsen_c_srand" => svcomp::srand,
    "coarsen_c_srandom" => svcomp::srand,
    "coarsen_c___assert_fail" => check::assert_fail,
    "coarsen_c_abort" => check::abort,
    "coarsen_c_exit" => check::exit,
    "coarsen_c_atexit" => startup::atexit,
    "coarsen_c__exit" => check::process_exit,
    "coarsen_c__Exit" => check::process_exit,
    "coarsen_c___VERIFIER_error" => svcomp::error,
    "coarsen_c___VERIFIER_assume" => svcomp::assume,
    "coarsen_c___VERIFIER_assert" => svcomp::assert,
    "coarsen_c_reach_error" => svcomp::error,
    "coarsen_c_assume_abort" => svcomp::assume_abort,
    "coarsen_c_getpid" => svcomp::process,
    "coarsen_c_syscall" => svcomp::system_call,
    "coarsen_c_gettid" => svcomp::thread_number,
    "coarsen_c_nondet_among" => svcomp::nondet_among,
    "coarsen_c___VERIFIER_nondet_bool" => svcomp::nondet_bool,
    "coarsen_c___VERIFIER_nondet__Bool" => svcomp::nondet_bool,
    "coarsen_c___VERIFIER_nondet_int" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_short" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_char" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_long" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_longlong" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_loff_t" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_S8" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_S16" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_S32" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_S64" => svcomp::nondet,
    "coarsen_c___VERIFIER_nondet_uint" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_ulong" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_ulonglong" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_uchar" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_unsigned_char" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_ushort" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_unsigned" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_unsigned_int" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_size_t" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_u8" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_u16" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_u32" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_u64" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_U8" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_U16" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_U32" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_U64" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_sector_t" => svcomp::nondet_unsigned,
    "coarsen_c___VERIFIER_nondet_float" => svcomp::nondet_float,
    "coarsen_c___VERIFIER_nondet_double" => svcomp::nondet_double,
    "coarsen_c___VERIFIER_nondet_pointer" => svcomp::nondet_pointer,
    "coarsen_c___VERIFIER_nondet_charp" => svcomp::nondet_pointer,
    "coarsen_refused" => check::refused,
    "coarsen_c_coarsen_choice" => svcomp::choice,
    "coarsen_c_coarsen_assume" => svcomp::assume,
    "coarsen_c_coarsen_transaction_begin" => marks::begin_claimed,
    "coarsen_c_coarsen_transaction_end" => marks::end_claimed,
    "coarsen_c_coarsen_invariant" => invariants::register,
    "coarsen_c_coarsen_invariant_text" => invariants::register_text,
}

// Saves what a function must preserve on the old stack, and takes it from the new one.
global_asm!(
    ".globl coarsen_switch",
    "coarsen_switch:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [rdi], rsp",
    "mov rsp, rsi",
    "ldmxcsr [rsp]",
    "fldcw [rsp + 4]",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
);

// Keeps a copy of the stack, and the way back to it: what has been done since then on this stack is undone by going
// there.
global_asm!(
    ".globl coarsen_keep",
    "coarsen_keep:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "mov rax, 2",
    "sub rdx, rsp",
    "cmp rdx, rcx",
    "ja 2f",
    "mov [rdi], rsp",
    "mov rcx, rdx",
    "mov rdi, rsi",
    "mov rsi, rsp",
    "rep movsb",
    "xor eax, eax",
    "2:",
    "add rsp, 48",
    "ret",
    ".globl coarsen_back",
    "coarsen_back:",
    "mov rcx, rdx",
    "sub rcx, rdi",
    "mov rsp, rdi",
    "rep movsb",
    "mov eax, 1",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
);

unsafe extern "C" {
    pub fn coarsen_switch(old: *mut usize, new: usize);
    /// Copies the stack from here to `top` into `to`, which has room for `room` bytes. Returns 0, and again, with 1,
    /// when `coarsen_back` is called; 2 if there is too much.
    pub fn coarsen_keep(at: *mut usize, to: *mut u8, top: usize, room: usize) -> usize;
    pub fn coarsen_back(at: usize, from: *const u8, top: usize) -> !;
}

// Calls that are put into functions which are atomic by their names (`ctest/assembly.rs`). What the function was given,
// and what it returns, must not be touched.
global_asm!(
    ".globl coarsen_atomic_enter",
    "coarsen_atomic_enter:",
    note_registers!(),
    "push rdi",
    "push rsi",
    "push rdx",
    "push rcx",
    "push r8",
    "push r9",
    "push rax",
    "sub rsp, 136",
    "movups [rsp], xmm0",
    "movups [rsp + 16], xmm1",
    "movups [rsp + 32], xmm2",
    "movups [rsp + 48], xmm3",
    "movups [rsp + 64], xmm4",
    "movups [rsp + 80], xmm5",
    "movups [rsp + 96], xmm6",
    "movups [rsp + 112], xmm7",
    "call {f}",
    "movups xmm0, [rsp]",
    "movups xmm1, [rsp + 16]",
    "movups xmm2, [rsp + 32]",
    "movups xmm3, [rsp + 48]",
    "movups xmm4, [rsp + 64]",
    "movups xmm5, [rsp + 80]",
    "movups xmm6, [rsp + 96]",
    "movups xmm7, [rsp + 112]",
    "add rsp, 136",
    "pop rax",
    "pop r9",
    "pop r8",
    "pop rcx",
    "pop rdx",
    "pop rsi",
    "pop rdi",
    "ret",
    ".globl coarsen_atomic_leave",
    "coarsen_atomic_leave:",
    "push rax",
    "push rdx",
    "sub rsp, 32",
    "movups [rsp], xmm0",
    "movups [rsp + 16], xmm1",
    "call {g}",
    "movups xmm0, [rsp]",
    "movups xmm1, [rsp + 16]",
    "add rsp, 32",
    "pop rdx",
    "pop rax",
    "ret",
    r = sym REGISTERS,
    f = sym svcomp::atomic_begin,
    g = sym svcomp::atomic_end,
);

// Calls that are put where a function is passed, or returns, a struct (`ctest/aggregates.rs`), at any place of the
// stack.
macro_rules! by_value {
    ($name:literal => $to:expr) => {
        global_asm!(
            concat!(".globl ", $name),
            concat!($name, ":"),
            note_registers!(),
            "push rbp",
            "mov rbp, rsp",
            "and rsp, -16",
            "call {f}",
            "leave",
            "ret",
            r = sym REGISTERS,
            f = sym $to,
        );
    };
}
by_value! { "coarsen_by_value_read" => read_range }
by_value! { "coarsen_by_value_write" => write_range }

/// A new stack from which a switch goes to `entry`.
pub fn prepare(top: usize, entry: usize) -> usize {
    // As after a call: the address on the stack, and the stack aligned to 16 before it.
    let sp = top - 72 - 8 * 8;
    let words = sp as *mut u64;
    unsafe {
        words.write(0x037F_0000_1F80);
        for i in 1..7 {
            words.add(i).write(0);
        }
        words.add(7).write(entry as u64);
    }
    sp
}
