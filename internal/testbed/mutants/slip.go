package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// Slip is a change of one declaration, over its syntax tree. Where it finds several places, [Slip.at] says which one is meant.
type Slip struct {
	says   string // what is changed, for the message where it is not there
	places func(ast.Node) []edit
	nth    int // which place, from 1; 0 = there is one alone
}

// edit replaces a piece of the source. %s in its text is what was there.
type edit struct {
	from, to token.Pos
	text     string
}

// at chooses the n-th place of several.
func (s Slip) at(n int) Slip {
	s.nth = n
	return s
}

// find returns the one place of the slip in a declaration.
func (s Slip) find(decl ast.Node) (edit, error) {
	places := s.places(decl)
	slices.SortFunc(places, func(a, b edit) int { return int(a.from - b.from) })
	switch n := len(places); {
	case s.nth == 0 && n == 1:
		return places[0], nil
	case s.nth > 0 && s.nth <= n:
		return places[s.nth-1], nil
	default:
		return edit{}, fmt.Errorf("it has %s %d times", s.says, n)
	}
}

// returns has a function end at once with these results.
func returns(results string) Slip {
	return Slip{says: "a body", places: func(decl ast.Node) []edit {
		if f, ok := decl.(*ast.FuncDecl); ok {
			return []edit{{f.Body.Lbrace + 1, f.Body.Lbrace + 1, " return " + results + ";"}}
		}
		return nil
	}}
}

// never has a condition, of an if or a case, not hold: the one that names this function, field or variable.
func never(name string) Slip { return condition(name, "false && (%s)") }

// always has it hold.
func always(name string) Slip { return condition(name, "true || (%s)") }

func condition(name, text string) Slip {
	return search("a condition with "+name, func(n ast.Node) (found []edit) {
		switch n := n.(type) {
		case *ast.IfStmt:
			if names(n.Cond, name) || n.Init != nil && names(n.Init, name) {
				found = append(found, edit{n.Cond.Pos(), n.Cond.End(), text})
			}
		case *ast.SwitchStmt:
			for _, clause := range n.Body.List {
				if clause, ok := clause.(*ast.CaseClause); ok && n.Tag == nil {
					for _, one := range clause.List {
						if names(one, name) {
							found = append(found, edit{one.Pos(), one.End(), text})
						}
					}
				}
			}
		}
		return found
	})
}

// forget leaves out one operand of an "and" or an "or": the one that names this.
func forget(name string) Slip {
	return search("an operand with "+name, func(n ast.Node) (found []edit) {
		both, ok := n.(*ast.BinaryExpr)
		neutral := map[token.Token]string{token.LAND: "(true || %s)", token.LOR: "(false && %s)"}
		if !ok || neutral[both.Op] == "" {
			return nil
		}
		for _, operand := range []ast.Expr{both.X, both.Y} {
			if inner, chained := operand.(*ast.BinaryExpr); names(operand, name) && !(chained && inner.Op == both.Op) {
				found = append(found, edit{operand.Pos(), operand.End(), neutral[both.Op]})
			}
		}
		return found
	})
}

// flip turns an operator into another one, where one of its operands names this.
func flip(name, operator, into string) Slip {
	return search(operator+" of "+name, func(n ast.Node) []edit {
		if both, ok := n.(*ast.BinaryExpr); ok && both.Op.String() == operator && (names(both.X, name) || names(both.Y, name)) {
			return []edit{{both.OpPos, both.OpPos + token.Pos(len(operator)), into}}
		}
		return nil
	})
}

// drop leaves out a statement: the call of this function, or the assignment to this field or variable.
func drop(name string) Slip {
	return search("a statement for "+name, func(n ast.Node) []edit {
		switch n := n.(type) {
		case *ast.ExprStmt:
			if call, ok := n.X.(*ast.CallExpr); ok && last(call.Fun) == name {
				return []edit{{n.Pos(), n.End(), "if false { %s }"}}
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE && slices.ContainsFunc(n.Lhs, func(to ast.Expr) bool { return last(to) == name }) {
				return []edit{{n.Pos(), n.End(), "if false { %s }"}}
			}
		}
		return nil
	})
}

// instead puts an expression in the place of a call of this function, or of a constant, a variable or a field with its owner.
func instead(name, with string) Slip {
	return search(name, func(n ast.Node) []edit {
		switch n := n.(type) {
		case *ast.CallExpr:
			if last(n.Fun) == name {
				return []edit{{n.Pos(), n.End(), with}}
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == name {
				return []edit{{n.Pos(), n.End(), with}}
			}
		case *ast.BasicLit:
			if n.Value == name {
				return []edit{{n.Pos(), n.End(), with}}
			}
		case *ast.Ident:
			if n.Name == name {
				return []edit{{n.Pos(), n.End(), with}}
			}
		}
		return nil
	})
}

// omit leaves out an element of a composite literal: the one with this key.
func omit(key string) Slip {
	return search("an element "+key, func(n ast.Node) []edit {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return nil
		}
		for i, one := range literal.Elts {
			pair, keyed := one.(*ast.KeyValueExpr)
			switch {
			case !keyed || last(pair.Key) != key:
			case i+1 < len(literal.Elts):
				return []edit{{one.Pos(), literal.Elts[i+1].Pos(), ""}}
			case i > 0:
				return []edit{{literal.Elts[i-1].End(), one.End(), ""}}
			default:
				return []edit{{one.Pos(), literal.Rbrace, ""}}
			}
		}
		return nil
	})
}

// search collects the places in a declaration. A place within another one is left out.
func search(says string, at func(ast.Node) []edit) Slip {
	return Slip{says: says, places: func(decl ast.Node) (found []edit) {
		keys := map[ast.Node]bool{} // the names of fields, which are no expressions
		ast.Inspect(decl, func(n ast.Node) bool {
			if n == nil || keys[n] {
				return false
			}
			if pair, ok := n.(*ast.KeyValueExpr); ok {
				keys[pair.Key] = true
			}
			here := at(n)
			for _, e := range here {
				if !slices.ContainsFunc(found, func(f edit) bool { return f.from <= e.from && e.to <= f.to }) {
					found = append(found, e)
				}
			}
			return true
		})
		return found
	}}
}

// names reports whether something of this name is in the tree.
func names(n ast.Node, name string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if expr, ok := n.(ast.Expr); ok && last(expr) == name {
			found = true
		}
		return !found
	})
	return found
}

// last is the name of an identifier, the last one of a selector, or the text of a literal.
func last(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return expr.Sel.Name
	case *ast.BasicLit:
		if text, err := strconv.Unquote(expr.Value); err == nil {
			return text
		}
		return expr.Value
	case *ast.IndexExpr:
		return last(expr.X)
	case *ast.IndexListExpr:
		return last(expr.X)
	}
	return ""
}

// apply makes the edit in the source of a file.
func (e edit) apply(files *token.FileSet, source []byte) string {
	from, to := files.Position(e.from).Offset, files.Position(e.to).Offset
	was := string(source[from:to])
	return string(source[:from]) + strings.ReplaceAll(e.text, "%s", was) + string(source[to:])
}
