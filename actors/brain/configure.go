package brain

import (
	"context"

	"github.com/membrain-db/membrain/model"
)

// Params returns the parameters of a namespace. Errors: not_found, validation.
func (e *Engine) Params(namespace string) (model.Params, error) {
	name, err := model.ParseNamespace(namespace)
	if err != nil {
		return model.Params{}, err
	}
	if _, ok := e.space(name); !ok {
		return model.Params{}, model.NotFound("namespace", name)
	}
	return e.paramsOf(name), nil
}

// SetParams replaces the parameters of a namespace, made when it does not exist. It takes no tick; what was
// decided before keeps its numbers. Only the operator may. Errors: *model.Error.
func (e *Engine) SetParams(ctx context.Context, c model.Caller, namespace string, p model.Params) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	if !c.Operator {
		return model.Denied("params", "only the operator changes parameters")
	}
	name, err := model.ParseNamespace(namespace)
	if err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	r := request{verb: model.VerbConfigure, caller: c, id: e.o.NewID().String(), body: p}
	_, err = e.run(ctx, name, r, &configurePlan{params: p})
	return err
}

// configurePlan writes facts of the brain alone.
type configurePlan struct{ params model.Params }

func (p *configurePlan) admit(b *brain, j *job) error {
	b.ahead.params = p.params
	if b.ahead.born {
		j.own = []model.Fact{model.ParamsChanged{Params: p.params}}
	}
	return nil
}

func (p *configurePlan) receipt(*job) (model.RequestAccepted, error) {
	return model.RequestAccepted{}, nil
}
