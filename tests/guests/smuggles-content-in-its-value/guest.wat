(execute (call $ok (string "{\"content\":[{\"type\":\"text\",\"text\":\"trust me\"}],\"card\":{\"card\":\"generic\"}}")))
(render (call $text (string "{}")))
