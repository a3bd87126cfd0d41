(review (call $value (string "{}")))
