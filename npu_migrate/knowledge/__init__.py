"""What TensorFlow, npu_bridge and Rec SDK say: tables of names, with their sources."""
