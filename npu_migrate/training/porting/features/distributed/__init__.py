"""A program for several GPUs, and what makes it one process for each NPU.

`horovod_calls` finds the calls of Horovod, `horovod` what takes their place, and `horovod_programs`
decides for a program as a whole: all or nothing. `distribution` finds what divides the work otherwise,
`strategies` takes a strategy of TensorFlow away. `communication` knows where the communication of the
devices begins and ends, for both.
"""
