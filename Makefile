# Every target works from a fresh clone: it installs what it needs (Node and its packages by npm, tools
# and npm by Debian's apt) and says in one line what it could not have.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help
# tsc writes its output in spite of errors.
.DELETE_ON_ERROR:

include deploy/versions.env
# Without what another make has put before it.
OWN_PATH := $(subst $(CURDIR)/.node/bin:,,$(PATH))
export PATH := $(CURDIR)/node_modules/.bin:$(CURDIR)/.node/bin:$(PATH)
# Debian releases whose nginx is tested; the first is the one that `make run` uses.
NGINX_SUITES := forky trixie

NODE := .node/bin/node
INSTALLED := node_modules/.installed
BUILT := dist/cli/main.js
CLUSTER := .cluster
IMAGE := .image/config.json
SITE := .site/index.html
NGINX := .nginx/$(firstword $(NGINX_SUITES))/nginx
GATEWAY_API := .gateway-api/$(GATEWAY_API_VERSION)/api/go.mod
STEP = .ci/step $@
LUA_CODE = $(wildcard lua test/lua e2e)

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: run
run: build nginx ## Start a gateway from the manifests in examples/ and print what to try
	@examples/run

.PHONY: build
build: $(BUILT) ## Compile src/ into dist/, if anything changed
$(BUILT): $(INSTALLED) tsconfig.base.json tsconfig.build.json $(shell find src -name '*.ts' 2>/dev/null)
	@tsc -p tsconfig.build.json
	@touch $@

.PHONY: test
test: $(INSTALLED) ## Run check and every test; the second nginx runs what depends on nginx
	@MAKE=$(MAKE) .ci/test "$(CHECKS)" "$(TESTS)" "build-image build-cluster" "test-cluster conformance"

.PHONY: check
check: $(INSTALLED) ## Format, lint, types, import directions, unused code, links, site, Lua lint (less than a minute)
	@$(MAKE) --keep-going -j2 $(CHECKS)

.PHONY: docs
docs: $(SITE) ## Build the site of docs/ into .site/
$(SITE): $(INSTALLED) .vitepress/config.js $(wildcard *.md) $(shell find docs -name '*.md' -o -name '*.svg' -o -name '*.png')
	@vitepress build
	@touch $@

docs/architecture.svg: docs/architecture.dot
	@deploy/debian-command dot graphviz
	@dot -Tsvg $< >$@

.PHONY: figures
figures: $(INSTALLED) ## Print figures of the structure of src; LIST=1 names what is counted
	@node .ci/figures.js $(if $(LIST),--list)

.PHONY: .bench
.bench: build
	@tsc -p tsconfig.bench.json
	@ln -sfn ../dist .bench/dist
	@ln -sfn ../templates .bench/templates

.PHONY: bench
bench: .bench nginx ## Measure CPU per request against bare proxy_pass, write docs/benchmarks.md
	@deploy/debian-command wrk wrk
	@deploy/debian-command h2load nghttp2-client
	@deploy/debian-command luajit luajit
	@NGINX_BIN=$(CURDIR)/$(NGINX) node .bench/e2e/bench/main.js $(value BENCH)

.PHONY: bench-changes
bench-changes: .bench nginx ## Print what a change costs at 10,000 routes of each kind, and when it is live; BENCH="1000 5" is a quick run, BENCH="10000 25 . 8000" sends requests meanwhile
	@NGINX_BIN=$(CURDIR)/$(NGINX) ALBC_TEST_NGINX=$(CURDIR)/$(NGINX) node .bench/e2e/bench/changes.js $(value BENCH)

.PHONY: bench-cluster
bench-cluster: .bench nginx $(CLUSTER)/.complete ## Measure albc on a Kubernetes API (root, Linux), write docs/scale.md; BENCH=100,1000 is a quick run
	@NGINX_BIN=$(CURDIR)/$(NGINX) e2e/conformance/on-cluster $(CLUSTER) .reports/bench-cluster \
	  node .bench/e2e/bench/cluster/main.js $(value BENCH)

.PHONY: build-cluster
build-cluster: $(INSTALLED) ## Build the Kubernetes API and the conformance suite (Go; a quarter of an hour, once)
	@ALBC_STEP_TIMEOUT=2400 $(STEP) $(MAKE) $(CLUSTER)/.complete

.PHONY: build-image
build-image: $(INSTALLED) ## Run the steps of deploy/Dockerfile without a container engine (root, Debian)
	@$(STEP) $(MAKE) $(IMAGE)

.PHONY: test-cluster
test-cluster: $(INSTALLED) build nginx $(IMAGE) $(CLUSTER)/.complete ## Run the tests that need a Kubernetes API (root, Linux)
	@NODE_OPTIONS=--experimental-vm-modules $(STEP) e2e/conformance/on-cluster $(CLUSTER) .reports/cluster \
	  node node_modules/jest/bin/jest.js --ci --selectProjects cluster --json --outputFile=$(CURDIR)/.reports/$@.json

.PHONY: conformance
conformance: build nginx $(CLUSTER)/.complete ## Run Gateway API's conformance suite (root, Linux); REPORT=FILE keeps its report
	@mkdir -p .reports; status=0; \
	ALBC="node $(CURDIR)/dist/cli/main.js" NGINX_BIN=$(CURDIR)/$(NGINX) \
	  VERSION=$$(git describe --always --dirty) $(STEP) e2e/conformance/suite $(CLUSTER) .reports/conformance-run \
	  $(or $(REPORT),.reports/conformance-report.yaml) || status=$$?; \
	node e2e/conformance/count.js .reports/conformance.json <.reports/conformance.log; exit $$status

.PHONY: golden-update
golden-update: $(INSTALLED) nginx ## Rewrite expected and generated files; read the diff before you commit
	@[ -z "$${CI:-}" ] || { echo "albc: golden files are compared in CI, never updated" >&2; exit 1; }
	@UPDATE_GOLDEN=1 npm run --silent test:unit -- --testPathPatterns '/test/(golden|generated)/'

.PHONY: laws
laws: $(INSTALLED) ## Search each law of test/property for SECONDS (120) with new inputs; CI tries few
	@ALBC_PROPERTY_SECONDS=$(or $(SECONDS),120) npm run --silent test:unit -- test/property

.PHONY: release
release: $(INSTALLED) ## Commit VERSION=x.y.z and make its files in .release/; REPOSITORY=https://… is where users find the code
	@.ci/release "$(VERSION)" "$(REPOSITORY)"

.PHONY: publish
publish: ## Publish the npm package of VERSION that `make release` made, with provenance (in a CI that has OpenID Connect)
	@cd ".release/$(VERSION)" && sha256sum --check --quiet SHA256SUMS
	@npm publish --provenance --access public ".release/$(VERSION)/albc-$(VERSION).tgz"

.PHONY: newer
newer: $(INSTALLED) ## List newer releases of what deploy/versions.env, npm and Go pin; UPDATE=1 writes the former
	@node .ci/newer.js $(if $(UPDATE),--update)

.PHONY: nginx
nginx: $(NGINX) ## Unpack Debian's nginx with its Lua modules into .nginx/
.PHONY: nginx-trixie
nginx-trixie: .nginx/trixie/nginx

.PHONY: gateway-api
gateway-api: $(GATEWAY_API) ## Fetch the files of Gateway API that tests read into .gateway-api/

.PHONY: clean
clean: ## Remove what was built or written by a run; downloads stay (git clean -dfX removes those too)
	@rm -rf dist .bench .reports .albc .site node_modules/.cache

# ---- Things that are downloaded ----

$(INSTALLED): package-lock.json | $(NODE)
	@# npm would empty the folder behind the link, which another checkout uses.
	@[ ! -L node_modules ] || { echo "albc: node_modules is a link; remove it, and this checkout gets its own" >&2; exit 3; }
	@echo "albc: installing the packages that it needs; this takes about a minute, once"
	@PATH="$(OWN_PATH)" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.nginx/%/nginx: deploy/debian-nginx
	@deploy/debian-nginx $* .nginx/$*

$(GATEWAY_API):
	@.ci/gateway-api $(GATEWAY_API_VERSION) .gateway-api/$(GATEWAY_API_VERSION)

# The Node of this machine if it is of that line, otherwise npm's package of this platform, which holds just the binary: the package
# "node" would need an install script.
.node/%/bin/node:
	@deploy/debian-command npm npm
	@mkdir -p $(@D)
	@if [[ $$(PATH="$(OWN_PATH)" node --version) == v$(firstword $(subst ., ,$*)).* ]]; then \
	  ln -sf "$$(PATH="$(OWN_PATH)" command -v node)" $@; \
	else \
	  echo "albc: fetching Node $*" && cd .node/$* && echo '{ "private": true }' >package.json && PATH="$(OWN_PATH)" npm install \
	    --ignore-scripts --no-save --no-package-lock --no-audit --no-fund --loglevel=error \
	    $$(PATH="$(OWN_PATH)" node -p '`node-$${process.platform}-$${process.arch}`')@$* && \
	  cd bin && ln -sf ../node_modules/node-*/bin/node node; \
	fi

# What PATH names.
$(NODE): .node/$(NODE_VERSION)/bin/node
	@ln -sfn $(NODE_VERSION)/bin .node/bin

$(IMAGE): deploy/Dockerfile .dockerignore .ci/image.js package-lock.json tsconfig.build.json $(shell find src lua templates -type f 2>/dev/null)
	@node .ci/image.js $(@D)

# Kubernetes' own programs and the suite; from nothing it takes a quarter of an hour.
$(CLUSTER)/.complete: deploy/versions.env $(wildcard e2e/conformance/*.go e2e/conformance/go.* e2e/conformance/k8s/go.* e2e/conformance/build)
	@e2e/conformance/requirements
	@e2e/conformance/build $(CLUSTER)
	@touch $@

# ---- Checks: each is one step, so that one failure does not hide the others ----

# The longest first, because two run side by side.
CHECKS := check-lint check-types check-format check-typed-lint check-site check-imports check-unused check-links \
  check-lua check-lua-format check-lua-size
.PHONY: $(CHECKS)
$(CHECKS): $(INSTALLED)

check-lint:
	@$(STEP) eslint .
# The rules that need types: ESLint would take a minute for them.
check-typed-lint:
	@$(STEP) oxlint $(wildcard src test e2e)
check-types:
	@$(STEP) tsc -p tsconfig.json --incremental --tsBuildInfoFile node_modules/.cache/tsc.tsbuildinfo
check-unused:
	@$(STEP) knip
check-imports:
	@$(STEP) depcruise --config .dependency-cruiser.cjs $(wildcard src test e2e)
check-format:
	@$(STEP) prettier --check --log-level=warn --cache --cache-strategy content .
check-links:
	@$(STEP) .ci/links
check-site:
	@$(STEP) $(MAKE) $(SITE)
check-lua:
	@deploy/debian-command luacheck lua-check
	@$(STEP) luacheck --quiet --no-color $(LUA_CODE)
check-lua-format:
	@$(STEP) stylua --check --color never $(LUA_CODE)
check-lua-size:
	@$(STEP) node .ci/lua-limits.js $(LUA_CODE)

# ---- Tests: one jest report for each step ----

LUA_TESTS := $(addprefix test-lua-,$(NGINX_SUITES))
E2E_TESTS := $(addprefix test-e2e-,$(NGINX_SUITES))
TESTS := test-build test-unit test-smoke $(LUA_TESTS) $(E2E_TESTS) test-smoke-least-node
.PHONY: $(TESTS)
$(TESTS): $(INSTALLED)
test-smoke $(E2E_TESTS) test-smoke-least-node: test-build

# $(call jest,PROJECT,NGINX,TESTS)
jest = NODE_OPTIONS=--experimental-vm-modules ALBC_TEST_NGINX=$(CURDIR)/$(2) \
  $(STEP) .ci/own-network node node_modules/jest/bin/jest.js --ci --selectProjects $(1) --json --outputFile=.reports/$@.json $(3)

# The first nginx runs all tests; the others run those of what nginx itself does: parsing, limits, TLS, HTTP/2, gRPC, streams,
# connections to backends and auth services, reloads, and code that LuaJIT compiles.
OF_NGINX := '/test/lua/(output|tls|upstream)/' \
  '/test/lua/(backend-tls|bodies-on-disk|client-requests|compiled-traces|draining|error-pages|golden-nginx|request-cost.odd-requests)' \
  '/test/lua/(auth/(connection|http-client)|filters/mirror|render/quoting)' \
  '/e2e/specs/(forged-requests|header-floods|host-attacks|http-limits|http-protocols|path-attacks)' \
  '/e2e/specs/(backend-protocols|buffering|error-pages|grpc-routes|streams-behind-a-proxy|tcp-udp-routes|tls|client-certificates)' \
  '/e2e/specs/(killed-albc|live-changes|nginx-user|recovery|refused-by-nginx|taken-ports)'
of_nginx = $(if $(filter-out $(firstword $(NGINX_SUITES)),$*),$(OF_NGINX))

test-build:
	@$(STEP) tsc -p tsconfig.build.json
test-unit: $(NGINX) $(GATEWAY_API)
	@$(call jest,unit,$(NGINX))
test-smoke: $(NGINX)
	@$(call jest,smoke,$(NGINX))
$(LUA_TESTS): test-lua-%: .nginx/%/nginx
	@$(call jest,lua,$<,$(of_nginx))
$(E2E_TESTS): test-e2e-%: .nginx/%/nginx
	@deploy/debian-command prometheus prometheus
	@deploy/debian-command chromium-headless-shell chromium-headless-shell
	@$(call jest,e2e,$<,$(of_nginx))
test-smoke-least-node: $(NGINX) .node/$(NODE_LEAST)/bin/node
	@PATH="$(CURDIR)/.node/$(NODE_LEAST)/bin:$$PATH" $(call jest,smoke,$(NGINX))
