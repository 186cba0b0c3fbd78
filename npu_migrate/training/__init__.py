"""What a training program is: its input pipelines and sessions, its NPU configs, loss scaling, Rec SDK.

The rooms, each of which may ask those before it: `libraries`, `listed_names`, `pipelines`, `reading`, `npu`,
`porting`, `distributed`, `loss_scaling`, `rec`. They know TensorFlow, npu_bridge and mx_rec by the tables of
`knowledge`. They do not know findings: what is wrong, and how it is told, is the rules' business.
"""
