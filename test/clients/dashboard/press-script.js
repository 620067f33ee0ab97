/** Runs in a page: what a user could press there now, and pressing it. Found by role, so that new controls are pressed too. */
(() => {
  const OVERLAY = "[role=dialog], [role=menu], [role=listbox]";
  const CONTROL =
    "a[href], button, input, textarea, summary, [role=option], [role=menuitem], [role=tab], [role=switch]";
  const TEXT = /^(text|email|password|url|search|tel|number|month|date)$/;

  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true }) &&
    !element.closest("[inert], [aria-hidden=true]");
  /** What repeats with another number or id is pressed once. */
  const plain = (text) =>
    text
      .trim()
      .replaceAll(/\b[a-z]+_\w{20,}|\d[\d,.:]*/g, "#")
      .replaceAll(/\s+/g, " ")
      .slice(0, 60);
  const namedBy = (element) =>
    (element.getAttribute("aria-labelledby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" ");
  const nameOf = (element) =>
    plain(
      element.ariaLabel ||
        namedBy(element) ||
        element.labels?.[0]?.textContent ||
        element.textContent ||
        element.placeholder ||
        element.getAttribute("href") ||
        "",
    );
  const kindOf = (element) => element.role || element.type || element.localName;
  /** The frame around pages is the same everywhere. */
  const frameOf = (element) => (top() || element.closest("main") ? "" : "frame ");

  /** What lies on top of the page takes all input. */
  const top = () => [...document.querySelectorAll(OVERLAY)].findLast(isShown);

  function controls() {
    const all = [...(top() ?? document.body).querySelectorAll(CONTROL)];
    const usable = all.filter(
      (element) => isShown(element) && !element.disabled && element.ariaDisabled !== "true",
    );
    return new Map(
      usable
        .map((element) => [`${frameOf(element)}${kindOf(element)} "${nameOf(element)}"`, element])
        .toReversed(),
    );
  }

  function valueFor(field) {
    if (field.type === "password") return globalThis.passwordOfUser;
    if (field.type === "email") return "guest@example.com";
    if (field.inputMode === "numeric" || field.inputMode === "decimal") return "5";
    if (/url|address/i.test(nameOf(field))) return "https://receiver.example.com/hook";
    return "Words of a user";
  }

  function fill(field) {
    // React replaces the field's own property, and hears nothing of what is set by it.
    const property = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value");
    property.set.call(field, valueFor(field));
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  globalThis.pressing = {
    /** The page, and the dialog, menu or list on top of it. */
    where() {
      const overlay = top();
      const title = overlay && plain(overlay.ariaLabel || namedBy(overlay) || "");
      return location.pathname + (overlay ? ` ${overlay.role} "${title}"` : "");
    },
    controls: () => [...controls().keys()].toReversed(),
    hasFailed: () => document.querySelector("section[role=alert] h1") !== null,
    /** False if it is not there any more. */
    press(control) {
      const element = controls().get(control);
      if (!element) return false;
      element.focus();
      const isText = element.localName === "textarea" || TEXT.test(element.type);
      if (isText && !element.readOnly) fill(element);
      if (!isText || element.ariaHasPopup || element.readOnly) element.click();
      return true;
    },
    isStill: () =>
      (!location.pathname.startsWith("/dashboard") ||
        (document.querySelector("h1") && !document.querySelector(".mantine-Skeleton-root"))) &&
      document.getAnimations().every((one) => one.effect.getTiming().iterations === Infinity),
  };
})();
