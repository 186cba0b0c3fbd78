"""Programs that train although nothing of them was recognised that could be moved: the net below the others.

`training_calls` finds where programs train, in more spellings than the plans for sessions, Estimators and
Keras know; `net` asks for each program that is to be moved whether it trains, nothing says that it stays, and
yet nothing of it is moved or reported.
"""
