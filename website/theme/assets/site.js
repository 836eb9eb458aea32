// Tables that are wider than a phone scroll in a frame that the theme's script makes; keys have to reach it.
function reachTables() {
  for (const frame of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (frame.scrollWidth > frame.clientWidth) {
      frame.tabIndex = 0;
      frame.setAttribute("role", "region");
      frame.setAttribute("aria-label", "A table that scrolls sideways");
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) frame.removeAttribute(name);
    }
  }
}
addEventListener("load", () => setTimeout(reachTables));
addEventListener("resize", reachTables);
