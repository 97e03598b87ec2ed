#include "sys/plants_list.hpp"

#include <utility>

#include "base/hash.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t long_path_bytes = 128;

bool deduct(std::size_t count, std::size_t& left) {
    if (count > left) return false;
    left -= count;
    return true;
}

}  // namespace

bool PlantList::take_directory(const std::string& path) {
    return deduct(path.size() + 1, left_path_bytes_);
}

bool PlantList::take_names(std::size_t count, const std::string& path) {
    return deduct(count * (1 + path.size() / long_path_bytes), left_names_);
}

void PlantList::add(Plant plant) {
    if (plants_.count(plant) != 0) return;
    const std::size_t bytes = plant.path.size() + plant.what.size() + plant.mark.size();
    if (deduct(bytes, left_listed_bytes_))
        plants_.insert(std::move(plant));
    else
        rest_ = base::sha256_hex(rest_ + plant.path + '\0' + plant.what + '\0' + plant.mark);
}

void PlantList::add_unread(Plant plant) {
    is_whole_ = false;
    add(std::move(plant));
}

std::set<Plant> PlantList::take() {
    if (!rest_.empty()) plants_.insert({".", "too many such files", std::move(rest_)});
    return std::move(plants_);
}

}  // namespace chorus::sys
