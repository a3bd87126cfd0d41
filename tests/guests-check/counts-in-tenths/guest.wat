(execute (call $ok (local.get $args) (local.get $args_len)))
