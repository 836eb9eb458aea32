// What is wider than a phone scrolls: tables, in a frame that the theme's script makes, and drawings. Keys have to reach it.
function reachScrolled() {
  const frames = document.querySelectorAll(".md-typeset__scrollwrap, .md-typeset p:has(img)");
  for (const frame of frames) {
    if (frame.scrollWidth > frame.clientWidth) {
      const noun = frame.tagName === "P" ? "A drawing" : "A table";
      frame.tabIndex = 0;
      frame.setAttribute("role", "region");
      frame.setAttribute("aria-label", `${noun} that scrolls sideways`);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) frame.removeAttribute(name);
    }
  }
}
addEventListener("load", () => setTimeout(reachScrolled));
addEventListener("resize", reachScrolled);
