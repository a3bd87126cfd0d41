(execute (call $ok (string "\ef\bb\bf{}")))
