! A Fortran program whose collectives have known results, by the interface that the compiler is told: AGGBOX_MPIF_H, AGGBOX_USE_MPI or
! AGGBOX_USE_MPI_F08. Ends with 1 and a sentence where one is wrong.
program collectives
#if defined(AGGBOX_USE_MPI_F08)
  use mpi_f08
  implicit none
#elif defined(AGGBOX_USE_MPI)
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer, parameter :: long = selected_int_kind(18), n = 5000
  integer :: rank, ranks, i, error
  integer :: values(n), sums(n), least(n)
  integer(long) :: bits(3)
  double precision :: told(n)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)

  values = [(i * (rank + 1), i = 1, n)]
  call MPI_Allreduce(values, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call require(error == MPI_SUCCESS, 'MPI_Allreduce has failed')
  call require(all(sums == [(i * (ranks * (ranks + 1) / 2), i = 1, n)]), 'the sums are wrong')

  sums = values
  call MPI_Allreduce(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  call require(all(sums == [(i * ranks, i = 1, n)]), 'the maxima in place are wrong')

  least = -1
  call MPI_Reduce(values, least, n, MPI_INTEGER, MPI_MIN, 0, MPI_COMM_WORLD, error)
  if (rank == 0) call require(all(least == [(i, i = 1, n)]), 'the minima at rank 0 are wrong')
  if (rank /= 0) call require(all(least == -1), 'the minima are at another rank than 0')

  bits = ishft(1_long, [0, 20, 40] + rank)
  call MPI_Allreduce(MPI_IN_PLACE, bits, 3, MPI_INTEGER8, MPI_BOR, MPI_COMM_WORLD, error)
  call require(all(bits == ishft(ishft(1_long, ranks) - 1, [0, 20, 40])), 'the bits are wrong')

  told = 0
  if (rank == ranks - 1) told = [(sqrt(dble(i)), i = 1, n)]
  call MPI_Bcast(told, n, MPI_DOUBLE_PRECISION, ranks - 1, MPI_COMM_WORLD, error)
  call require(all(told == [(sqrt(dble(i)), i = 1, n)]), 'what the last rank told is wrong')

  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (rank == 0) print '(a)', 'well'
  call MPI_Finalize(error)

contains

  subroutine require(condition, otherwise)
    logical, intent(in) :: condition
    character(*), intent(in) :: otherwise
    if (condition) return
    print '(a, i0, 2a)', 'rank ', rank, ': ', otherwise
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine require

end program collectives
