"""Training of the linear and kernel machines of this room.

row_products : products of blocks with the weights of all machines, and equations solved by them
hinge_loss : the squared hinge loss of all machines, one pass over the items per method
squared_hinge : Newton's method on loss and prior (a ridge, or what earlier items left behind)
linear_machines : the choice of a solver, and a start on a sample where memory is short
updated_hash : linear machines that `partial_fit` goes on training
kernel_expansion : margins, bandwidth and points of kernel machines
"""
