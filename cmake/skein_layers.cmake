# One folder a layer under skein/; a file includes only its own layer and earlier ones (tests/include_rule proves it).
set(SKEIN_LAYERS base tensor kernels autograd nn text comm data models decode optim parallel train serve bench)
