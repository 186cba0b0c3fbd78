"""ResNet-50 with NPUEstimator: the configuration is made in another module."""

from absl import app, flags

from trainer import build, input_fn

FLAGS = flags.FLAGS
flags.DEFINE_string("model_dir", "resnet50_model", "where to keep checkpoints")
flags.DEFINE_float("learning_rate", 0.01, "learning rate")


def main(_):
    build(FLAGS).train(input_fn=input_fn, max_steps=40)


if __name__ == "__main__":
    app.run(main)
