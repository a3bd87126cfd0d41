(import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))
(import "wasi:http/types@0.2.12" "[constructor]outgoing-request" (func $request (param i32) (result i32)))
(import "wasi:http/types@0.2.12" "[method]outgoing-request.set-scheme"
  (func $scheme (param i32 i32 i32 i32 i32) (result i32)))
(import "wasi:http/types@0.2.12" "[method]outgoing-request.set-authority"
  (func $authority (param i32 i32 i32 i32) (result i32)))
(import "wasi:http/types@0.2.12" "[method]outgoing-request.set-path-with-query"
  (func $path (param i32 i32 i32 i32) (result i32)))
(import "wasi:http/outgoing-handler@0.2.12" "handle" (func $handle (param i32 i32 i32 i32)))
(execute
  (local.set $a (call $request (call $fields)))
  ;; some(http)
  (drop (call $scheme (local.get $a) (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0)))
  (drop (call $authority (local.get $a) (i32.const 1) (string "127.0.0.1:9")))
  (drop (call $path (local.get $a) (i32.const 1) (string "/")))
  (local.set $b (call $alloc (i32.const 64)))
  (call $handle (local.get $a) (i32.const 0) (i32.const 0) (local.get $b))
  (if (i32.load8_u (local.get $b)) (then unreachable))
  (call $ok (string "\"sent\"")))
