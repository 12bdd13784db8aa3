# AggBox by itself: packet by packet, and (net) over hosts in network namespaces, of which one machine has one set.
foreach(name aggbox net)
  file(GLOB test_sources CONFIGURE_DEPENDS ${name}/*_test.cc ${name}/*.c)
  set(target aggbox_test)
  if(name STREQUAL net)
    set(target aggbox_net_test)
  endif()
  add_executable(${target} ${test_sources})
  target_link_libraries(${target} PRIVATE aggbox skein_flags GTest::gmock GTest::gtest GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endforeach()
target_include_directories(aggbox_test SYSTEM PRIVATE ${PROJECT_BINARY_DIR}/aggbox/generated)
target_link_libraries(aggbox_test PRIVATE PkgConfig::libbpf)
gtest_discover_tests(aggbox_test DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600)
target_compile_definitions(aggbox_net_test PRIVATE AGGBOX_COMMAND="$<TARGET_FILE:aggbox_command>")
add_dependencies(aggbox_net_test aggbox_command)
gtest_discover_tests(aggbox_net_test DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600 RESOURCE_LOCK aggbox_lab)

# MPI programs, with libaggbox_mpi.so preloaded.
if(TARGET aggbox_mpi)
  foreach(program random_calls corner_cases)
    add_executable(aggbox_mpi_${program} mpi/${program}.cc)
    target_link_libraries(aggbox_mpi_${program} PRIVATE skein_flags PkgConfig::openmpi)
  endforeach()
  # The entry points of Fortran programs are in a library that Open MPI's C programs don't load.
  target_link_libraries(aggbox_mpi_random_calls PRIVATE mpi_mpifh)
  target_link_directories(aggbox_mpi_random_calls PRIVATE ${openmpi_LIBRARY_DIRS})
  add_executable(aggbox_mpi_test mpi/preloaded_test.cc)
  target_link_libraries(aggbox_mpi_test PRIVATE aggbox skein_flags GTest::gtest GTest::gtest_main)
  target_include_directories(aggbox_mpi_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_definitions(aggbox_mpi_test PRIVATE AGGBOX_COMMAND="$<TARGET_FILE:aggbox_command>"
                                                     AGGBOX_MPI_LIBRARY="$<TARGET_FILE:aggbox_mpi>"
                                                     AGGBOX_MPI_RANDOM="$<TARGET_FILE:aggbox_mpi_random_calls>"
                                                     AGGBOX_MPI_CASE="$<TARGET_FILE:aggbox_mpi_corner_cases>")
  add_dependencies(aggbox_mpi_test aggbox_command aggbox_mpi aggbox_mpi_random_calls aggbox_mpi_corner_cases)
  # A Fortran program by each of MPI's interfaces. Sanitizers cannot be preloaded into what they have not compiled.
  find_program(MPI_FORTRAN NAMES mpifort.openmpi mpifort)
  if(MPI_FORTRAN AND NOT SKEIN_SANITIZE AND NOT SKEIN_COVERAGE)
    foreach(interface MPIF_H USE_MPI USE_MPI_F08)
      set(program ${CMAKE_CURRENT_BINARY_DIR}/aggbox_mpi_fortran_${interface})
      add_custom_command(OUTPUT ${program}
                         COMMAND ${MPI_FORTRAN} -cpp -fallow-argument-mismatch -w -DAGGBOX_${interface}
                                 ${CMAKE_CURRENT_SOURCE_DIR}/mpi/fortran_program.f90 -o ${program}
                         DEPENDS mpi/fortran_program.f90 VERBATIM)
      list(APPEND fortran_programs ${program})
    endforeach()
    add_custom_target(aggbox_mpi_fortran DEPENDS ${fortran_programs})
    add_dependencies(aggbox_mpi_test aggbox_mpi_fortran)
    target_compile_definitions(aggbox_mpi_test PRIVATE AGGBOX_MPI_FORTRAN="${CMAKE_CURRENT_BINARY_DIR}/aggbox_mpi_fortran_")
  endif()
  gtest_discover_tests(aggbox_mpi_test DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600 RESOURCE_LOCK aggbox_lab)
endif()

# Training over the hosts of a lab.
if(TARGET skein_aggbox)
  add_executable(aggbox_training_test lab/training_test.cc cli/shell.cc)
  target_link_libraries(aggbox_training_test PRIVATE aggbox skein_test_support skein_test_paths)
  target_compile_definitions(aggbox_training_test PRIVATE AGGBOX_COMMAND="$<TARGET_FILE:aggbox_command>")
  add_dependencies(aggbox_training_test aggbox_command skein_command skein_aggbox skein_openmpi)
  gtest_discover_tests(aggbox_training_test DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 600 RESOURCE_LOCK aggbox_lab)
endif()
