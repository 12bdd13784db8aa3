#include "aggbox/aggbox/aggbox.h"

#include <exception>
#include <memory>
#include <string>

#include "aggbox/aggbox/error.h"
#include "aggbox/aggbox/group.h"

struct aggbox_group {
  aggbox::Group group;
};

namespace aggbox {
namespace {

std::string& last_error() {
  thread_local std::string text;
  return text;
}

// Runs `call`, turning what it throws into a status.
template <typename Call>
aggbox_status guarded(Call call) noexcept {
  try {
    call();
    return AGGBOX_OK;
  } catch (const UnavailableError& error) {
    last_error() = error.what();
    return AGGBOX_ERROR_UNAVAILABLE;
  } catch (const PeerError& error) {
    last_error() = error.what();
    return AGGBOX_ERROR_PEER;
  } catch (const std::exception& error) {
    last_error() = error.what();
    return AGGBOX_ERROR_ARGUMENT;
  }
}

GroupOptions options_of(const aggbox_group_options& from) {
  if (!from.interface) throw Error("options have no interface; expected one, as in \"e0\"");
  if (!from.coordinator)
    throw Error("options have no coordinator; expected rank 0's address, as in \"10.0.0.1:7000\"");
  GroupOptions options = {.interface = from.interface,
                          .coordinator = from.coordinator,
                          .rank = from.rank,
                          .size = from.size,
                          .authenticate_payload = from.header_tags == 0};
  if (from.window) options.window = from.window;
  if (from.timeout_milliseconds)
    options.timeout = std::chrono::milliseconds(from.timeout_milliseconds);
  if (from.join_timeout_milliseconds)
    options.join_timeout = std::chrono::milliseconds(from.join_timeout_milliseconds);
  return options;
}

Reduction reduction_of(aggbox_reduction reduction) {
  switch (reduction) {
    case AGGBOX_REDUCE_SUM:
      return Reduction::kSum;
    case AGGBOX_REDUCE_MEAN:
      return Reduction::kMean;
    case AGGBOX_REDUCE_AND:
      return Reduction::kAnd;
    case AGGBOX_REDUCE_OR:
      return Reduction::kOr;
    case AGGBOX_REDUCE_XOR:
      return Reduction::kXor;
    case AGGBOX_REDUCE_MIN:
      return Reduction::kMin;
    case AGGBOX_REDUCE_MAX:
      return Reduction::kMax;
  }
  throw Error("this reduction does not exist; aggbox.h lists those that do");
}

Type type_of(aggbox_values type) {
  switch (type) {
    case AGGBOX_INT32:
      return Type::kInt32;
    case AGGBOX_INT64:
      return Type::kInt64;
    case AGGBOX_UINT32:
      return Type::kUint32;
    case AGGBOX_UINT64:
      return Type::kUint64;
    case AGGBOX_FLOAT32:
      return Type::kFloat32;
    case AGGBOX_BFLOAT16:
      return Type::kBfloat16;
  }
  throw Error("this type of values does not exist; aggbox.h lists those that do");
}

}  // namespace
}  // namespace aggbox

aggbox_status aggbox_group_create(const aggbox_group_options* options, aggbox_group** group) {
  *group = nullptr;
  return aggbox::guarded(
      [&] { *group = new aggbox_group{aggbox::Group(aggbox::options_of(*options))}; });
}

void aggbox_group_free(aggbox_group* group) { delete group; }

aggbox_status aggbox_group_all_reduce(aggbox_group* group, void* values, size_t count,
                                      aggbox_values type, aggbox_reduction reduction) {
  return aggbox::guarded([&] {
    group->group.all_reduce(aggbox::Values(aggbox::type_of(type), values, count),
                            aggbox::reduction_of(reduction));
  });
}

aggbox_status aggbox_group_reduce(aggbox_group* group, void* values, size_t count,
                                  aggbox_values type, aggbox_reduction reduction, uint32_t root) {
  return aggbox::guarded([&] {
    group->group.reduce(aggbox::Values(aggbox::type_of(type), values, count), root,
                        aggbox::reduction_of(reduction));
  });
}

aggbox_status aggbox_group_broadcast(aggbox_group* group, void* bytes, size_t size, uint32_t root) {
  return aggbox::guarded([&] {
    group->group.broadcast({static_cast<std::uint8_t*>(bytes), size}, root);
  });
}

aggbox_status aggbox_group_barrier(aggbox_group* group) {
  return aggbox::guarded([&] { group->group.barrier(); });
}

const char* aggbox_last_error(void) { return aggbox::last_error().c_str(); }
