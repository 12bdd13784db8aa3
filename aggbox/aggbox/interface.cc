#include "aggbox/aggbox/interface.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "aggbox/aggbox/descriptor.h"
#include "aggbox/aggbox/error.h"
#include "aggbox/bpf/wire.h"

namespace aggbox {

Interface find_interface(const std::string& name) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request = {};
  const auto ask = [&](unsigned long what) {
    name.copy(request.ifr_name, IFNAMSIZ - 1);
    return ::ioctl(socket.get(), what, &request) == 0;
  };
  Interface interface = {.name = name};
  if (name.size() >= IFNAMSIZ || !ask(SIOCGIFINDEX)) {
    throw UnavailableError(
        fmt::format("interface '{}' does not exist here; `ip link` lists those that do", name));
  }
  interface.index = request.ifr_ifindex;
  if (ask(SIOCGIFMTU)) interface.mtu = request.ifr_mtu;
  if (!ask(SIOCGIFHWADDR))
    throw UnavailableError(fmt::format("interface '{}' has no MAC address", name));
  std::memcpy(interface.member.mac.data(), request.ifr_hwaddr.sa_data, interface.member.mac.size());
  if (!ask(SIOCGIFADDR)) {
    throw UnavailableError(
        fmt::format("interface '{}' has no IPv4 address; give it one with `ip address add`", name));
  }
  sockaddr_in address;
  std::memcpy(&address, &request.ifr_addr, sizeof address);
  interface.member.address = address.sin_addr.s_addr;
  return interface;
}

std::string too_small_mtu(const Interface& interface) {
  if (interface.mtu >= kLeastMtu) return "";
  return fmt::format(
      "interface '{0}' has an MTU of {1} bytes and AggBox needs {2}; `ip link set {0} mtu {2}`",
      interface.name, interface.mtu, kLeastMtu);
}

Descriptor join_multicast(const Interface& interface, std::uint32_t job) {
  Descriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));  // which receives nothing
  packet_mreq request = {};
  request.mr_ifindex = interface.index;
  request.mr_type = PACKET_MR_MULTICAST;
  request.mr_alen = 6;
  request.mr_address[0] = AGGBOX_GROUP_MAC_0;
  request.mr_address[1] = AGGBOX_GROUP_MAC_1;
  for (int i = 0; i < 4; ++i) request.mr_address[2 + i] = static_cast<unsigned char>(job >> 8 * i);
  if (!socket || ::setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &request,
                              sizeof request) != 0) {
    throw UnavailableError(fmt::format("interface '{}' cannot take packets of a group: {}",
                                       interface.name, std::strerror(errno)));
  }
  return socket;
}

std::string driver_of(const std::string& interface) {
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ethtool_drvinfo driver = {};
  driver.cmd = ETHTOOL_GDRVINFO;
  ifreq request = {};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&driver);
  return ::ioctl(socket.get(), SIOCETHTOOL, &request) == 0 ? driver.driver : "";
}

}  // namespace aggbox
