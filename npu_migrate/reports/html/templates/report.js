"use strict";
// Filters, the theme switch and links to one finding. All text is in the page; nothing is built from strings.

const byId = (id) => document.getElementById(id);
const findings = Array.from(document.querySelectorAll(".findings article"), (element) => ({
  element,
  data: element.dataset,
  text: null,
}));
const toggles = Array.from(document.querySelectorAll("button[data-kind]"));
const hiddenOnes = byId("hidden-ones");
const search = byId("search");

const isPressed = (button) => button.getAttribute("aria-pressed") === "true";
const press = (button, pressed) => button.setAttribute("aria-pressed", String(pressed));

// What is searched: everything but the diff. It is read when a search needs it, because reading takes time.
const textOf = (finding) => {
  finding.text ??= Array.from(finding.element.children)
    .filter((child) => child.localName !== "details")
    .map((child) => child.textContent)
    .join("\n")
    .toLowerCase();
  return finding.text;
};

const within = (folder, outer) => folder === outer || folder.startsWith(`${outer}/`);

// The filters as they are set. Rules and folders that are pressed are joined by "or"; none pressed means all.
const chosenFilters = () => {
  const values = (kind) =>
    toggles.filter((one) => one.dataset.kind === kind && isPressed(one)).map((one) => one.dataset.value);
  return {
    severities: new Set(values("severity")),
    fixable: new Set(values("fixable")),
    rules: new Set(values("rule")),
    folders: values("folder"),
    words: search.value.toLowerCase().split(/\s+/).filter(Boolean),
    hiddenOnes: hiddenOnes !== null && isPressed(hiddenOnes),
  };
};

const matches = (finding, filters) =>
  (filters.hiddenOnes || finding.data.state === "") &&
  filters.severities.has(finding.data.severity) &&
  filters.fixable.has(finding.data.fixable) &&
  (filters.rules.size === 0 || filters.rules.has(finding.data.rule)) &&
  (filters.folders.length === 0 || filters.folders.some((one) => within(finding.data.folder, one))) &&
  filters.words.every((word) => textOf(finding).includes(word));

const linkedId = () => {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return "";
  }
};

const describe = (filters, shown, linkedOnly) => {
  const said = byId("status").dataset;
  const parts = [...filters.rules, ...filters.folders.map((one) => (one === "." ? said.top : `${one}/`))];
  const of = parts.length ? `${said.opening}${parts.join(said.item)}${said.closing}` : "";
  const linked = linkedOnly ? said.linked : "";
  return `${said.shown.replace("{shown}", shown).replace("{all}", findings.length)}${of}${linked}`;
};

const apply = () => {
  const filters = chosenFilters();
  const linked = linkedId();
  let shown = 0;
  let linkedOnly = false;
  for (const finding of findings) {
    const matching = matches(finding, filters);
    const visible = matching || finding.element.id === linked;
    if (finding.element.hidden === visible) finding.element.hidden = !visible;
    if (visible) shown += 1;
    if (visible && !matching) linkedOnly = true;
  }
  byId("status").textContent = describe(filters, shown, linkedOnly);
  byId("none").hidden = shown > 0 || findings.length === 0;
};

const clear = () => {
  search.value = "";
  for (const toggle of toggles) press(toggle, !toggle.classList.contains("row"));
  if (hiddenOnes) press(hiddenOnes, false);
  apply();
};

const showLinked = () => {
  apply();
  const target = byId(linkedId());
  if (target) target.scrollIntoView();
};

const setTheme = (dark) => {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  press(byId("theme"), dark);
};

for (const toggle of [...toggles, hiddenOnes].filter(Boolean)) {
  toggle.disabled = false;
  toggle.addEventListener("click", () => {
    press(toggle, !isPressed(toggle));
    apply();
  });
}
search.addEventListener("input", apply);
byId("clear").addEventListener("click", clear);
byId("theme").addEventListener("click", () => setTheme(!isPressed(byId("theme"))));
press(byId("theme"), matchMedia("(prefers-color-scheme: dark)").matches);
addEventListener("hashchange", showLinked);
showLinked();
