(func $deep (call $deep) (call $deep))
(review (call $deep) unreachable)
