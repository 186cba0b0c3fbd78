params = {
    "iterations_per_loop": 10,
    "max_train_steps": 105,
    "model_dir": "vgg16",
    "lr": 0.01,
}
