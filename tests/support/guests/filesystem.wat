;; Does to files what its arguments say, and returns what came of each step.
;;
;; Arguments: {"do":"STEP; STEP; …"}. A step is words with one blank between them. A NUMBER names a descriptor: the
;; preopened directories come first, from 0, and each `open` adds one, whether it succeeds or not.
;;
;;   dirs                                   how many directories are preopened
;;   open NUMBER PATH FLAGS                 FLAGS: r read, w write, c create, x exclusive, t truncate, d directory,
;;                                          m mutate-directory, f follow a symbolic link; `-` for none
;;   read NUMBER                            the first 64 bytes
;;   write NUMBER TEXT                      at the start
;;   size NUMBER                            cut to nothing
;;   stat NUMBER PATH                       following symbolic links
;;   times NUMBER PATH                      set to the epoch
;;   mkdir, rmdir, unlink, readlink NUMBER PATH
;;   symlink NUMBER TARGET PATH
;;   rename, link NUMBER PATH NUMBER PATH
;;   trap
;;
;; Value: a JSON list with a string for each step: what was read, `ok`, or the name of the error.

(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
  (func $open_at (param i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.read" (func $read (param i32 i64 i64 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.write" (func $write (param i32 i32 i32 i64 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.set-size" (func $set_size (param i32 i64 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.stat-at" (func $stat_at (param i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.set-times-at"
  (func $set_times_at (param i32 i32 i32 i32 i32 i64 i32 i32 i64 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.create-directory-at"
  (func $create_directory_at (param i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.remove-directory-at"
  (func $remove_directory_at (param i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.unlink-file-at"
  (func $unlink_file_at (param i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.readlink-at" (func $readlink_at (param i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.symlink-at"
  (func $symlink_at (param i32 i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.rename-at"
  (func $rename_at (param i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.link-at"
  (func $link_at (param i32 i32 i32 i32 i32 i32 i32 i32)))

;; The 37 cases of error-code, 24 bytes each.
(data (i32.const 36864)
  "access                  would-block             already                 bad-descriptor          "
  "busy                    deadlock                quota                   exist                   "
  "file-too-large          illegal-byte-sequence   in-progress             interrupted             "
  "invalid                 io                      is-directory            loop                    "
  "too-many-links          message-size            name-too-long           no-device               "
  "no-entry                no-lock                 insufficient-memory     insufficient-space      "
  "not-directory           not-empty               not-recoverable         unsupported             "
  "no-tty                  no-such-device          overflow                not-permitted           "
  "pipe                    read-only               invalid-seek            text-file-busy          "
  "cross-device            ")
;; Descriptors by number, four bytes each: 0 where none was opened.
(global $descriptors i32 (i32.const 40960))
(global $known (mut i32) (i32.const 0))
;; Where host functions leave their results.
(global $r i32 (i32.const 45056))
;; What is left of the steps, and the value as far as it is written.
(global $at (mut i32) (i32.const 0))
(global $end (mut i32) (i32.const 0))
(global $out i32 (i32.const 49152))
(global $out_end (mut i32) (i32.const 49152))

(func $byte (param $c i32)
  (i32.store8 (global.get $out_end) (local.get $c))
  (global.set $out_end (i32.add (global.get $out_end) (i32.const 1))))
(func $say (param $ptr i32) (param $len i32)
  (memory.copy (global.get $out_end) (local.get $ptr) (local.get $len))
  (global.set $out_end (i32.add (global.get $out_end) (local.get $len))))

;; The next word of the step; empty at its end. `;` is a word of its own.
(func $word (result i32 i32)
  (local $from i32)
  (block $begins
    (loop $blank
      (br_if $begins (i32.ge_u (global.get $at) (global.get $end)))
      (br_if $begins (i32.ne (i32.load8_u (global.get $at)) (i32.const 32)))
      (global.set $at (i32.add (global.get $at) (i32.const 1)))
      (br $blank)))
  (local.set $from (global.get $at))
  (block $ends
    (loop $letter
      (br_if $ends (i32.ge_u (global.get $at) (global.get $end)))
      (br_if $ends (i32.eq (i32.load8_u (global.get $at)) (i32.const 32)))
      (br_if $ends (i32.eq (i32.load8_u (global.get $at)) (i32.const 59)))
      (global.set $at (i32.add (global.get $at) (i32.const 1)))
      (br $letter)))
  (local.get $from)
  (i32.sub (global.get $at) (local.get $from)))

;; The descriptor that the next word names.
(func $descriptor (result i32)
  (local $ptr i32) (local $len i32)
  (call $word)
  (local.set $len)
  (local.set $ptr)
  (i32.load (i32.add (global.get $descriptors)
    (i32.mul (i32.const 4) (i32.sub (i32.load8_u (local.get $ptr)) (i32.const 48))))))
(func $add (param $handle i32)
  (i32.store (i32.add (global.get $descriptors) (i32.mul (i32.const 4) (global.get $known))) (local.get $handle))
  (global.set $known (i32.add (global.get $known) (i32.const 1))))

;; Whether the flags hold a letter: 0 or 1.
(func $has (param $ptr i32) (param $len i32) (param $letter i32) (result i32)
  (loop $next
    (if (i32.eqz (local.get $len)) (then (return (i32.const 0))))
    (if (i32.eq (i32.load8_u (local.get $ptr)) (local.get $letter)) (then (return (i32.const 1))))
    (local.set $ptr (i32.add (local.get $ptr) (i32.const 1)))
    (local.set $len (i32.sub (local.get $len) (i32.const 1)))
    (br $next))
  unreachable)

;; Writes the name of an error.
(func $name (param $error i32)
  (local $ptr i32)
  (local.set $ptr (i32.add (i32.const 36864) (i32.mul (i32.const 24) (local.get $error))))
  (block $done
    (loop $letter
      (br_if $done (i32.eq (i32.load8_u (local.get $ptr)) (i32.const 32)))
      (call $byte (i32.load8_u (local.get $ptr)))
      (local.set $ptr (i32.add (local.get $ptr) (i32.const 1)))
      (br $letter))))
;; `ok`, or the error that lies `offset` bytes behind a result's case.
(func $outcome (param $offset i32)
  (if (i32.load8_u (global.get $r))
    (then (call $name (i32.load8_u (i32.add (global.get $r) (local.get $offset)))))
    (else (call $say (string "ok")))))

(func $open
  (local $dir i32) (local $path i32) (local $path_len i32) (local $flags i32) (local $len i32)
  (local.set $dir (call $descriptor))
  (call $word) (local.set $path_len) (local.set $path)
  (call $word) (local.set $len) (local.set $flags)
  (call $open_at (local.get $dir)
    (call $has (local.get $flags) (local.get $len) (i32.const 102))
    (local.get $path) (local.get $path_len)
    ;; create 1, directory 2, exclusive 4, truncate 8
    (i32.or
      (i32.or
        (call $has (local.get $flags) (local.get $len) (i32.const 99))
        (i32.shl (call $has (local.get $flags) (local.get $len) (i32.const 100)) (i32.const 1)))
      (i32.or
        (i32.shl (call $has (local.get $flags) (local.get $len) (i32.const 120)) (i32.const 2))
        (i32.shl (call $has (local.get $flags) (local.get $len) (i32.const 116)) (i32.const 3))))
    ;; read 1, write 2, mutate-directory 32
    (i32.or
      (i32.or
        (call $has (local.get $flags) (local.get $len) (i32.const 114))
        (i32.shl (call $has (local.get $flags) (local.get $len) (i32.const 119)) (i32.const 1)))
      (i32.shl (call $has (local.get $flags) (local.get $len) (i32.const 109)) (i32.const 5)))
    (global.get $r))
  (call $add (if (result i32) (i32.load8_u (global.get $r))
    (then (i32.const 0))
    (else (i32.load offset=4 (global.get $r)))))
  (call $outcome (i32.const 4)))

(func $step_of_two_paths (param $first i32)
  (local $dir i32) (local $old i32) (local $old_len i32) (local $other i32) (local $new i32) (local $new_len i32)
  (local.set $dir (call $descriptor))
  (call $word) (local.set $old_len) (local.set $old)
  (local.set $other (call $descriptor))
  (call $word) (local.set $new_len) (local.set $new)
  (if (i32.eq (local.get $first) (i32.const 108)) ;; link
    (then (call $link_at (local.get $dir) (i32.const 0) (local.get $old) (local.get $old_len)
      (local.get $other) (local.get $new) (local.get $new_len) (global.get $r)))
    (else (call $rename_at (local.get $dir) (local.get $old) (local.get $old_len)
      (local.get $other) (local.get $new) (local.get $new_len) (global.get $r))))
  (call $outcome (i32.const 1)))

(func $same (param $a i32) (param $a_len i32) (param $b i32) (param $b_len i32) (result i32)
  (if (i32.ne (local.get $a_len) (local.get $b_len)) (then (return (i32.const 0))))
  (loop $next
    (if (i32.eqz (local.get $a_len)) (then (return (i32.const 1))))
    (if (i32.ne (i32.load8_u (local.get $a)) (i32.load8_u (local.get $b))) (then (return (i32.const 0))))
    (local.set $a (i32.add (local.get $a) (i32.const 1)))
    (local.set $b (i32.add (local.get $b) (i32.const 1)))
    (local.set $a_len (i32.sub (local.get $a_len) (i32.const 1)))
    (br $next))
  unreachable)

(func $preopen
  (local $item i32) (local $left i32)
  (call $directories (global.get $r))
  (local.set $item (i32.load (global.get $r)))
  (local.set $left (i32.load offset=4 (global.get $r)))
  (block $done
    (loop $next
      (br_if $done (i32.eqz (local.get $left)))
      (call $add (i32.load (local.get $item)))
      (local.set $item (i32.add (local.get $item) (i32.const 12)))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br $next))))

(func $step (param $verb i32) (param $len i32)
  (local $dir i32) (local $path i32) (local $path_len i32)
  (if (call $same (local.get $verb) (local.get $len) (string "dirs"))
    (then (call $say (call $digits (i64.extend_i32_u (global.get $known)))) (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "trap")) (then unreachable))
  (if (call $same (local.get $verb) (local.get $len) (string "open")) (then (call $open) (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "link"))
    (then (call $step_of_two_paths (i32.const 108)) (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "rename"))
    (then (call $step_of_two_paths (i32.const 114)) (return)))
  (local.set $dir (call $descriptor))
  (if (call $same (local.get $verb) (local.get $len) (string "read"))
    (then
      (call $read (local.get $dir) (i64.const 64) (i64.const 0) (global.get $r))
      (if (i32.load8_u (global.get $r))
        (then (call $outcome (i32.const 4)))
        (else (call $say (i32.load offset=4 (global.get $r)) (i32.load offset=8 (global.get $r)))))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "size"))
    (then
      (call $set_size (local.get $dir) (i64.const 0) (global.get $r))
      (call $outcome (i32.const 1))
      (return)))
  (call $word) (local.set $path_len) (local.set $path)
  (if (call $same (local.get $verb) (local.get $len) (string "write"))
    (then
      (call $write (local.get $dir) (local.get $path) (local.get $path_len) (i64.const 0) (global.get $r))
      (call $outcome (i32.const 8))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "stat"))
    (then
      (call $stat_at (local.get $dir) (i32.const 1) (local.get $path) (local.get $path_len) (global.get $r))
      (call $outcome (i32.const 8))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "times"))
    (then
      (call $set_times_at (local.get $dir) (i32.const 0) (local.get $path) (local.get $path_len)
        (i32.const 2) (i64.const 0) (i32.const 0) (i32.const 2) (i64.const 0) (i32.const 0) (global.get $r))
      (call $outcome (i32.const 1))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "mkdir"))
    (then
      (call $create_directory_at (local.get $dir) (local.get $path) (local.get $path_len) (global.get $r))
      (call $outcome (i32.const 1))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "rmdir"))
    (then
      (call $remove_directory_at (local.get $dir) (local.get $path) (local.get $path_len) (global.get $r))
      (call $outcome (i32.const 1))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "unlink"))
    (then
      (call $unlink_file_at (local.get $dir) (local.get $path) (local.get $path_len) (global.get $r))
      (call $outcome (i32.const 1))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "readlink"))
    (then
      (call $readlink_at (local.get $dir) (local.get $path) (local.get $path_len) (global.get $r))
      (if (i32.load8_u (global.get $r))
        (then (call $outcome (i32.const 4)))
        (else (call $say (i32.load offset=4 (global.get $r)) (i32.load offset=8 (global.get $r)))))
      (return)))
  (if (call $same (local.get $verb) (local.get $len) (string "symlink"))
    (then
      (call $symlink_at (local.get $dir) (local.get $path) (local.get $path_len) (call $word) (global.get $r))
      (call $outcome (i32.const 1))
      (return)))
  unreachable)

(func $do (param $args i32) (param $args_len i32) (result i32)
  (local $verb i32) (local $len i32)
  ;; {"do":"…"}
  (global.set $at (i32.add (local.get $args) (i32.const 7)))
  (global.set $end (i32.add (local.get $args) (i32.sub (local.get $args_len) (i32.const 2))))
  (call $preopen)
  (call $byte (i32.const 91))
  (loop $next
    (call $word) (local.set $len) (local.set $verb)
    (call $byte (i32.const 34))
    (call $step (local.get $verb) (local.get $len))
    (call $byte (i32.const 34))
    (if (i32.lt_u (global.get $at) (global.get $end))
      (then
        ;; over the `;`
        (global.set $at (i32.add (global.get $at) (i32.const 1)))
        (call $byte (i32.const 44))
        (br $next))))
  (call $byte (i32.const 93))
  (call $ok (global.get $out) (i32.sub (global.get $out_end) (global.get $out))))

(execute (call $do (local.get $args) (local.get $args_len)))
