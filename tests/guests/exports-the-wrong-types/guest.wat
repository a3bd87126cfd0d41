(module
  (memory (export "memory") 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) unreachable)
  (func (export "fumehood:tool/tool@0.1.1#execute") (param i32 i32) (result i32) unreachable))
