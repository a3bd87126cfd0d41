(import "wasi:http/types@0.2.12" "[constructor]fields" (func $fields (result i32)))
(review (drop (call $fields)) (call $accept))
