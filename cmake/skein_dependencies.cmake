# Every library the product uses, found once. docs/dependencies.md says what each is for.
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
find_package(dnnl REQUIRED CONFIG)
find_package(ICU REQUIRED COMPONENTS uc i18n)
find_package(ZLIB REQUIRED)
find_package(EXPAT REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(tomlplusplus REQUIRED IMPORTED_TARGET tomlplusplus)

# Training on many machines; what is missing here is left out.
pkg_check_modules(openmpi IMPORTED_TARGET ompi-c)
pkg_check_modules(mpich IMPORTED_TARGET mpich)
set(SKEIN_MPIS "")
foreach(mpi openmpi mpich)
  if(TARGET PkgConfig::${mpi})
    list(APPEND SKEIN_MPIS ${mpi})
  endif()
endforeach()

# Debian 13's pkg-config file of SentencePiece asks for protobuf's headers, which its users don't need.
find_library(SENTENCEPIECE_LIBRARY sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY sentencepiece_train REQUIRED)
find_path(SENTENCEPIECE_INCLUDE_FOLDER sentencepiece_processor.h REQUIRED)
add_library(sentencepiece SHARED IMPORTED)
set_target_properties(sentencepiece PROPERTIES IMPORTED_LOCATION ${SENTENCEPIECE_LIBRARY}
                                               INTERFACE_INCLUDE_DIRECTORIES ${SENTENCEPIECE_INCLUDE_FOLDER}
                                               INTERFACE_LINK_LIBRARIES ${SENTENCEPIECE_TRAIN_LIBRARY})
