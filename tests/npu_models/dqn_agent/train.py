"""DQN: an agent with a session of its own, dynamic shapes by options that go out of use."""

import numpy as np

from agent import Agent

agent = Agent(2)
state = np.zeros(4)
for _ in range(3):
    action = agent.act(state)
    print(action, agent.learn([state], [[0.0, 1.0]]))
agent.close()
