/** Runs in the browser: renders the document, with each operation's code samples above its responses. */

const HIGHLIGHT_AS = { Shell: "bash", TypeScript: "javascript", Python: "python" };

const codeSamples = ({ React, getComponent, specSelectors }) => {
  const h = React.createElement;

  const Samples = ({ samples }) => {
    const [chosen, choose] = React.useState(0);
    const { lang, source } = samples[chosen];
    const tabs = samples.map(({ label }, index) =>
      h(
        "button",
        {
          key: label,
          type: "button",
          role: "tab",
          className: "code-samples-tab",
          "aria-selected": index === chosen,
          onClick: () => choose(index),
        },
        label,
      ),
    );
    const code = { language: HIGHLIGHT_AS[lang], canCopy: true };
    return h(
      "div",
      { className: "opblock-section" },
      h("div", { className: "opblock-section-header" }, h("h4", null, "Request samples")),
      h(
        "div",
        { className: "code-samples" },
        h("div", { className: "code-samples-tabs", role: "tablist" }, tabs),
        h(getComponent("HighlightCode", true), code, source),
      ),
    );
  };

  const withSamples = (Responses) => (props) => {
    const operation = ["paths", props.path, props.method];
    const samples =
      specSelectors
        .specJson()
        .getIn([...operation, "x-codeSamples"])
        ?.toJS() ?? [];
    const above = samples.length > 0 ? h(Samples, { samples }) : null;
    return h(React.Fragment, null, above, h(Responses, props));
  };

  return { wrapComponents: { responses: withSamples } };
};

// API keys belong on servers: this page asks for none and sends no API request.
const hidden = () => () => null;
const noKeys = { wrapComponents: { authorizeBtn: hidden, authorizeOperationBtn: hidden } };

globalThis.SwaggerUIBundle({
  url: "docs/openapi.json",
  dom_id: "#reference",
  plugins: [codeSamples, noKeys],
  deepLinking: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: [],
  // Keeps the document from being sent to a public validator.
  validatorUrl: null,
});
