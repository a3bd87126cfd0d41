(import "wasi:filesystem/preopens@0.2.12" "get-directories" (func $directories (param i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.open-at"
  (func $open (param i32 i32 i32 i32 i32 i32 i32)))
(import "wasi:filesystem/types@0.2.12" "[method]descriptor.read" (func $read (param i32 i64 i64 i32)))

(review
  (local.set $a (call $alloc (i32.const 64)))
  (call $directories (local.get $a))
  (if (i32.eqz (i32.load offset=4 (local.get $a)))
    (then (return (call $block (string "there is no directory")))))
  ;; The first directory; a path without links, opened to be read.
  (call $open (i32.load (i32.load (local.get $a))) (i32.const 0) (string "words.txt") (i32.const 0) (i32.const 1)
    (i32.add (local.get $a) (i32.const 16)))
  (if (i32.load8_u offset=16 (local.get $a)) (then unreachable))
  (call $read (i32.load offset=20 (local.get $a)) (i64.const 100) (i64.const 0) (i32.add (local.get $a) (i32.const 32)))
  (if (i32.load8_u offset=32 (local.get $a)) (then unreachable))
  (call $block (i32.load offset=36 (local.get $a)) (i32.load offset=40 (local.get $a))))
