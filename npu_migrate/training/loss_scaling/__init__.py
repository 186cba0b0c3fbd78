"""Loss scaling: managers, the control dependencies they are built under, and the port of TensorFlow's."""
