(present (call $refuse (string "I would rather not")))
