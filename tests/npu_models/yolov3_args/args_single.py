precision = "allow_mix_precision"
batch_size = 4
steps = 6
log_every = 2
save_dir = "yolov3"
