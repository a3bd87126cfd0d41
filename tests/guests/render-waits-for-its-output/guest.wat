(import "wasi:cli/stdout@0.2.12" "get-stdout" (func $stdout (result i32)))
(import "wasi:io/streams@0.2.12" "[method]output-stream.subscribe" (func $subscribe (param i32) (result i32)))
(render (drop (call $subscribe (call $stdout))) (call $no_text))
