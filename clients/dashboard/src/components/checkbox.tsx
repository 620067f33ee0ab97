/** The checkbox of the library with its styles, which only pages that are loaded on demand need. */
import "@mantine/core/styles/Checkbox.css";

export { Checkbox } from "@mantine/core";
