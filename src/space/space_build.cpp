#include <algorithm>
#include <set>

#include "paretune/core/text.hpp"
#include "space/compiled_space.hpp"
#include "space/section_detail.hpp"

namespace paretune::space {

namespace {

using Faults = std::vector<std::string>;

const Link* link_of(const std::vector<Link>& links, const std::string& name) {
  const auto found = std::find_if(links.begin(), links.end(), [&](const Link& link) {
    return std::find(link.names.begin(), link.names.end(), name) != link.names.end();
  });
  return found == links.end() ? nullptr : &*found;
}

void check_links(const std::vector<Link>& links, Faults& faults) {
  std::set<std::string> linked;
  for (const Link& link : links) {
    const std::string shown = core::join(link.names, "+");
    if (link.names.size() < 2) faults.push_back("the link '" + shown + "' joins fewer than two parameters");
    if (link.rows.empty()) faults.push_back("the link '" + shown + "' has no rows");
    for (const std::string& name : link.names) {
      if (!linked.insert(name).second) faults.push_back("'" + name + "' is linked twice");
    }
    const bool even = std::all_of(link.rows.begin(), link.rows.end(),
                                  [&](const auto& row) { return row.size() == link.names.size(); });
    if (!even) faults.push_back("a row of the link '" + shown + "' has another length than its names");
  }
}

/// Linked names without a parameter of their own get one.
void add_linked_parameters(const std::vector<Link>& links, std::vector<Parameter>& parameters) {
  for (const Link& link : links) {
    for (std::size_t column = 0; column < link.names.size(); ++column) {
      const bool present = std::any_of(parameters.begin(), parameters.end(),
                                       [&](const Parameter& p) { return p.name == link.names[column]; });
      if (present) continue;
      Parameter parameter;
      parameter.name = link.names[column];
      detail::set_levels(parameter, detail::column_levels(link, column), std::nullopt);
      parameters.push_back(std::move(parameter));
    }
  }
}

void check_names(const std::vector<Parameter>& parameters, const Configuration& fixed, Faults& faults) {
  std::set<std::string> names;
  for (const Parameter& parameter : parameters) {
    if (!names.insert(parameter.name).second)
      faults.push_back("parameter '" + parameter.name + "' is given twice");
    if (fixed.count(parameter.name) > 0) {
      faults.push_back("'" + parameter.name + "' is both a fixed argument and a parameter");
    }
    const std::optional<std::size_t> levels = level_count(parameter.domain);
    if (levels && *levels == 0) faults.push_back("parameter '" + parameter.name + "' has no values");
  }
}

std::vector<Axis> make_axes(const std::vector<Parameter>& parameters, const std::vector<Link>& links) {
  std::vector<Axis> axes;
  std::set<const Link*> placed;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    const Parameter& parameter = parameters[p];
    const Link* link = link_of(links, parameter.name);
    if (link != nullptr && !placed.insert(link).second) continue;
    Axis axis{parameter.name, {p}, level_count(parameter.domain), parameter.ordered, parameter.live,
              parameter.scale};
    if (link != nullptr) {
      axis.name = core::join(link->names, "+");
      axis.levels = link->rows.size();
      axis.ordered = false;
      axis.parameters.clear();
      for (const std::string& name : link->names) {
        const auto found = std::find_if(parameters.begin(), parameters.end(),
                                        [&](const Parameter& candidate) { return candidate.name == name; });
        axis.parameters.push_back(static_cast<std::size_t>(found - parameters.begin()));
      }
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

void check_live(const std::vector<Parameter>& parameters, const std::vector<Axis>& axes, Faults& faults) {
  const auto is_live = [&](const std::string& name) {
    return std::any_of(parameters.begin(), parameters.end(),
                       [&](const Parameter& p) { return p.name == name && p.live; });
  };
  for (const Parameter& parameter : parameters) {
    if (parameter.live || !parameter.when) continue;
    for (const std::string& name : parameter.when->names()) {
      if (!is_live(name)) continue;
      faults.push_back("'" + parameter.name + "' needs a restart, so its condition cannot depend on '" +
                       name + "', which may change while the server runs");
    }
  }
  for (const Axis& axis : axes) {
    const bool mixed = std::any_of(axis.parameters.begin(), axis.parameters.end(),
                                   [&](std::size_t p) { return parameters[p].live != axis.live; });
    if (mixed) faults.push_back("the link '" + axis.name + "' joins live and restart parameters");
  }
}

void check_condition_names(const std::vector<Parameter>& parameters, const std::vector<std::string>& known,
                           Faults& faults) {
  for (const Parameter& parameter : parameters) {
    if (!parameter.when) continue;
    for (const std::string& name : parameter.when->names()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string hint = core::did_you_mean(name, known);
      faults.push_back("the condition of '" + parameter.name + "' names '" + name +
                       "', which does not exist" + (hint.empty() ? "" : " (" + hint + ")"));
    }
  }
}

void check_types(const std::string& what, const Expression& expression, const Possibilities& possible,
                 Faults& faults) {
  for (const std::string& fault : expression.type_faults(possible)) {
    faults.push_back(what + " '" + expression.text() + "': " + fault);
  }
}

}  // namespace

core::Result<Space> Space::create(std::vector<Parameter> parameters, std::vector<Link> links,
                                  std::vector<std::string> constraints, Configuration fixed) {
  Faults faults;
  check_links(links, faults);
  if (!faults.empty()) return core::invalid_input(core::join(faults, "\n"));
  add_linked_parameters(links, parameters);
  check_names(parameters, fixed, faults);
  Space space;
  space.axes_ = make_axes(parameters, links);
  check_live(parameters, space.axes_, faults);
  std::vector<std::string> known;
  for (const Parameter& parameter : parameters) known.push_back(parameter.name);
  for (const auto& [name, value] : fixed) known.push_back(name);
  check_condition_names(parameters, known, faults);
  for (const std::string& text : constraints) {
    core::Result<Expression> constraint = Expression::parse(text, known);
    if (constraint && constraint->names().empty()) {
      faults.push_back("constraint '" + text + "' names no parameter");
    } else if (constraint) {
      space.constraints_.push_back(std::move(*constraint));
    }
    if (constraint) continue;
    const core::Error& error = constraint.error();
    faults.push_back("constraint " + error.message + (error.hint.empty() ? "" : " (" + error.hint + ")"));
  }
  const Possibilities possible = detail::possibilities(parameters, fixed);
  for (const Parameter& parameter : parameters) {
    if (parameter.when)
      check_types("the condition of '" + parameter.name + "'", *parameter.when, possible, faults);
  }
  for (const Expression& constraint : space.constraints_)
    check_types("constraint", constraint, possible, faults);
  if (!faults.empty()) return core::invalid_input(core::join(faults, "\n"));
  auto compiled = detail::CompiledSpace::build(parameters, space.axes_, links, space.constraints_, fixed);
  if (!compiled) return compiled.error();
  space.compiled_ = std::move(*compiled);
  space.parameters_ = std::move(parameters);
  space.links_ = std::move(links);
  space.fixed_ = std::move(fixed);
  return space;
}

core::Result<Space> Space::with_constraints(std::vector<std::string> constraints) const {
  std::vector<Parameter> own;
  for (const Parameter& parameter : parameters_) {
    const bool linked = std::any_of(links_.begin(), links_.end(), [&](const Link& link) {
      return std::find(link.names.begin(), link.names.end(), parameter.name) != link.names.end();
    });
    if (!linked) own.push_back(parameter);  // create() adds the linked ones itself
  }
  return create(std::move(own), links_, std::move(constraints), fixed_);
}

}  // namespace paretune::space
