/** The page of one operation or event: what it takes, what it answers, samples, and a form that tries it. */
import { codeBlock, heading, html, markdown, type Html } from "./html.ts";
import type { Body, Operation, Parameter } from "./operations.ts";
import { withoutAddresses, type Field } from "./schema.ts";

/** `prefix` is that of all paths: `/v1`. The samples are Markdown. */
export function operationPage(operation: Operation, prefix: string, samples: string): Html {
  const { route, summary, description, parameters, body, successes, errors } = operation;
  return html`<h1>${summary}</h1>
    ${route && html`<p class="route"><b>${route.method}</b> <code>${prefix}${route.path}</code> · <a href="#try">Try it</a></p>`}
    ${markdown(description)} ${markdown(samples)}
    ${
      parameters.length > 0
        ? html`${heading(2, "parameters", "Parameters")} ${parameterList(parameters)}`
        : undefined
    }
    ${body && bodySection(route ? "Request body" : "Event", body)}
    ${route && successes.map(({ status, description: text, body: answer }) => answerSection(status, text, answer))}
    ${errors.length > 0 ? errorSection(operation) : undefined}
    ${route && tryForm(operation, prefix)}`;
}

function parameterList(parameters: readonly Parameter[]): Html {
  return html`<dl class="fields">
    ${parameters.map((parameter) => fieldEntry(parameter, "parameters", `${parameter.in}, `))}
  </dl>`;
}

function bodySection(title: string, { type, fields, example }: Body): Html {
  return html`${heading(2, "body", title)}
    <p><code>${type}</code></p>
    ${fieldList(fields, "body")}
    ${
      example === undefined
        ? undefined
        : html`<h3>Example</h3>
            ${codeBlock(JSON.stringify(example, undefined, 2), "JSON")}`
    }`;
}

function answerSection(status: string, description: string, body: Body | undefined): Html {
  return html`${heading(2, `response-${status}`, `Response ${status}`)} ${markdown(description)}
  ${
    body &&
    html`<details>
        <summary>Fields</summary>
        ${fieldList(body.fields, `response-${status}`)}
      </details>
      ${
        body.example === undefined
          ? undefined
          : html`<details>
              <summary>Example</summary>
              ${codeBlock(JSON.stringify(body.example, undefined, 2), "JSON")}
            </details>`
      }`
  }`;
}

/** `within` begins the ids of the fields. */
function fieldList(fields: readonly Field[], within: string): Html | undefined {
  if (fields.length === 0) return undefined;
  return html`<dl class="fields">${fields.map((field) => fieldEntry(field, within))}</dl>`;
}

function fieldEntry(
  { name, type, isRequired, description, rules, fields }: Field,
  within: string,
  before = "",
): Html {
  const id = `${within}-${name}`;
  return html`<dt id="${id}">
      <a href="#${id}"><code>${name}</code></a>
      <span>${before}${type}${isRequired ? ", required" : ""}</span>
    </dt>
    <dd>
      ${markdown(description)}
      ${rules.length > 0 ? html`<p class="rules">${rules.join("; ")}</p>` : undefined}
      ${
        fields.length > 0
          ? html`<details>
              <summary>Fields of ${name}</summary>
              ${fieldList(fields, id)}
            </details>`
          : undefined
      }
    </dd>`;
}

function errorSection({ errors }: Operation): Html {
  const rows = errors.map(
    ({ status, type, code, description }) =>
      html`<dt>
          <a href="/docs/errors/${code}"><code>${code}</code></a>
          <span>${status}, ${type}</span>
        </dt>
        <dd>${markdown(description)}</dd>`,
  );
  return html`${heading(2, "errors", "Errors")}
    <details>
      <summary>${errors.length} codes</summary>
      <dl class="fields">${rows}</dl>
    </details>`;
}

function tryForm({ route, parameters, body }: Operation, prefix: string): Html {
  const inputs = parameters
    .filter(({ name }) => name !== "Request-Id")
    .map(
      ({ name, in: place, isRequired, example }) =>
        html`<label>
          ${name}
          <input
            name="${name}"
            data-in="${place}"
            placeholder="${example}"
            ${isWait(name, example) ? html`value="${example}"` : undefined}
            ${isRequired ? html`required` : undefined}
          />
        </label>`,
    );
  return html`${heading(2, "try", "Try it")}
    <form class="try" data-method="${route?.method}" data-path="${prefix}${route?.path}">
      <label
        >API key<input
          name="key"
          type="password"
          required
          autocomplete="off"
          placeholder="mgs_test_…"
      /></label>
      <p>
        It stays in this tab and is sent to this service only. A test key (mgs_test_…) spends test
        Tokens, a live key real ones.
      </p>
      ${inputs} ${body && bodyInput(body)}
      <button>Send</button>
      <output aria-live="polite"></output>
    </form>`;
}

/** Asks that the answer comes with what is made, which the form then shows. */
function isWait(name: string, example: string): boolean {
  return name === "Prefer" && example.startsWith("wait=");
}

function bodyInput({ type, fields, example }: Body): Html {
  if (type === "multipart/form-data") {
    const files = fields.map(
      ({ name, isRequired }) =>
        html`<label>
          ${name}
          <input type="file" name="${name}" data-part ${isRequired ? html`required` : undefined} />
        </label>`,
    );
    return html`${files}`;
  }
  const text = JSON.stringify(withoutAddresses(example), undefined, 2);
  return html`<label
    >Body<textarea name="body" rows="${String(text.split("\n").length + 1)}" spellcheck="false">
${text}</textarea>
  </label>`;
}
