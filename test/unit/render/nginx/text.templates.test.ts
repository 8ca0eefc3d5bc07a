import { DEFAULT_OPTIONS } from "../../../../src/model/options.js";
import {
  clientView,
  forwardView,
  luaView,
  variablesView,
} from "../../../../src/render/nginx/http-view.js";
import { logView } from "../../../../src/render/nginx/log-view.js";
import { fillTemplate, word } from "../../../../src/render/nginx/text.js";

const { dataPlane } = DEFAULT_OPTIONS;
const VIEW = {
  workers: word("auto"),
  drainTimeout: word("1s"),
  logLevel: word("warn"),
  connections: word("16384"),
  lua: luaView(0, dataPlane, []),
  client: clientView(dataPlane),
  log: logView(dataPlane, false),
  variables: { ...variablesView(dataPlane, false), adapted: false },
  forward: forwardView(),
  upstreams: [],
  adaptor: false,
  servers: [],
  control: { traced: false, pages: false },
  streams: false,
};

test("the template prints the values of its view", () => {
  expect(fillTemplate("nginx", VIEW)).toContain("worker_processes auto;");
});

test.each<[string, unknown]>([
  ["plain text", "auto; } evil {"],
  ["a number", 4],
  ["nothing", undefined],
  ["an object that passes for text", { toString: () => "auto" }],
])("%s instead of NginxText is an exception", (_what, workers) => {
  expect(() => fillTemplate("nginx", { ...VIEW, workers })).toThrow(
    "printed what is not NginxText",
  );
});
