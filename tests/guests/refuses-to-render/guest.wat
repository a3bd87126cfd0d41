(render (call $refuse (string "I would rather not")))
